<?xml version="1.0" encoding="UTF-8"?>
<!--
  ISO 19139 to oai_dc (P61, P67). The root may be gmd:MD_Metadata or
  gmi:MI_Metadata. GML is matched by local name, because records of 2006 and of 2007 differ in its namespace.
  Empty and repeated values are removed afterwards, by dublin_core.py.
-->
<xsl:stylesheet version="1.0"
    xmlns:xsl="http://www.w3.org/1999/XSL/Transform"
    xmlns:gmd="http://www.isotc211.org/2005/gmd"
    xmlns:gco="http://www.isotc211.org/2005/gco"
    xmlns:gmx="http://www.isotc211.org/2005/gmx"
    xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/"
    xmlns:dc="http://purl.org/dc/elements/1.1/"
    xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
    exclude-result-prefixes="gmd gco gmx">

  <xsl:output method="xml" encoding="UTF-8"/>
  <xsl:param name="identifier"/>

  <xsl:key name="locale" match="gmd:PT_Locale" use="@id"/>

  <!-- RFC 4646 (xml:lang) wants the two-letter code where there is one; ISO 19139 gives ISO 639-2. -->
  <xsl:variable name="codes">|ara=ar|bul=bg|cat=ca|ces=cs|cze=cs|dan=da|deu=de|ger=de|ell=el|gre=el|eng=en|spa=es|est=et|fas=fa|per=fa|fin=fi|fra=fr|fre=fr|gle=ga|heb=he|hin=hi|hrv=hr|hun=hu|ind=id|isl=is|ice=is|ita=it|jpn=ja|kor=ko|lit=lt|lav=lv|nld=nl|dut=nl|nor=no|pol=pl|por=pt|ron=ro|rum=ro|rus=ru|slk=sk|slo=sk|slv=sl|srp=sr|swe=sv|tha=th|tur=tr|ukr=uk|vie=vi|zho=zh|chi=zh|</xsl:variable>
  <xsl:variable name="capitals">ABCDEFGHIJKLMNOPQRSTUVWXYZ</xsl:variable>
  <xsl:variable name="letters">abcdefghijklmnopqrstuvwxyz</xsl:variable>

  <xsl:template match="/">
    <xsl:apply-templates select="*"/>
  </xsl:template>

  <xsl:template match="/*">
    <oai_dc:dc xsi:schemaLocation="http://www.openarchives.org/OAI/2.0/oai_dc/ http://www.openarchives.org/OAI/2.0/oai_dc.xsd">
      <xsl:variable name="info" select="gmd:identificationInfo/*"/>
      <xsl:variable name="cited" select="$info/gmd:citation/gmd:CI_Citation"/>
      <xsl:variable name="parties" select="$cited/gmd:citedResponsibleParty/* | $info/gmd:pointOfContact/*
          | gmd:distributionInfo//gmd:distributorContact/* | gmd:contact/*"/>
      <xsl:variable name="constraints" select="$info/gmd:resourceConstraints/*"/>

      <xsl:call-template name="texts">
        <xsl:with-param name="element">title</xsl:with-param>
        <xsl:with-param name="nodes" select="$cited/gmd:title"/>
      </xsl:call-template>
      <xsl:call-template name="parties">
        <xsl:with-param name="element">creator</xsl:with-param>
        <xsl:with-param name="roles">|author|originator|principalinvestigator|owner|</xsl:with-param>
        <xsl:with-param name="parties" select="$parties"/>
      </xsl:call-template>
      <xsl:call-template name="texts">
        <xsl:with-param name="element">subject</xsl:with-param>
        <xsl:with-param name="nodes" select="$info/gmd:descriptiveKeywords/*/gmd:keyword"/>
      </xsl:call-template>
      <xsl:for-each select="$info/gmd:topicCategory/*">
        <dc:subject><xsl:value-of select="normalize-space()"/></dc:subject>
      </xsl:for-each>
      <xsl:call-template name="texts">
        <xsl:with-param name="element">description</xsl:with-param>
        <xsl:with-param name="nodes" select="$info/gmd:abstract"/>
      </xsl:call-template>
      <xsl:call-template name="parties">
        <xsl:with-param name="element">publisher</xsl:with-param>
        <xsl:with-param name="roles">|publisher|resourceprovider|distributor|</xsl:with-param>
        <xsl:with-param name="parties" select="$parties"/>
      </xsl:call-template>
      <xsl:call-template name="parties">
        <xsl:with-param name="element">contributor</xsl:with-param>
        <xsl:with-param name="roles">|custodian|processor|pointofcontact|</xsl:with-param>
        <xsl:with-param name="parties" select="$parties"/>
      </xsl:call-template>
      <xsl:call-template name="date">
        <xsl:with-param name="dates" select="$cited/gmd:date/gmd:CI_Date"/>
      </xsl:call-template>

      <xsl:for-each select="gmd:hierarchyLevel/*">
        <dc:type><xsl:call-template name="code"/></dc:type>
      </xsl:for-each>
      <xsl:if test="not(gmd:hierarchyLevel/*[normalize-space(@codeListValue) or normalize-space()])">
        <dc:type>dataset</dc:type>
      </xsl:if>
      <xsl:call-template name="texts">
        <xsl:with-param name="element">format</xsl:with-param>
        <xsl:with-param name="nodes" select="gmd:distributionInfo//gmd:MD_Format/gmd:name"/>
      </xsl:call-template>
      <dc:identifier><xsl:value-of select="$identifier"/></dc:identifier>
      <xsl:for-each select="gmd:distributionInfo//gmd:CI_OnlineResource/gmd:linkage/gmd:URL">
        <dc:identifier><xsl:value-of select="normalize-space()"/></dc:identifier>
      </xsl:for-each>
      <xsl:call-template name="texts">
        <xsl:with-param name="element">source</xsl:with-param>
        <xsl:with-param name="nodes" select="gmd:dataQualityInfo/*/gmd:lineage/*/gmd:statement"/>
      </xsl:call-template>
      <xsl:call-template name="languages">
        <xsl:with-param name="nodes" select="$info/gmd:language[normalize-space() or */@codeListValue]
            | gmd:language[not($info/gmd:language[normalize-space() or */@codeListValue])]"/>
      </xsl:call-template>
      <xsl:for-each select="gmd:parentIdentifier | $info/gmd:aggregationInfo/*/gmd:aggregateDataSetIdentifier/*/gmd:code">
        <dc:relation><xsl:call-template name="text"/></dc:relation>
      </xsl:for-each>
      <xsl:apply-templates select="$info//gmd:EX_GeographicBoundingBox"/>
      <xsl:call-template name="texts">
        <xsl:with-param name="element">coverage</xsl:with-param>
        <xsl:with-param name="nodes" select="$info/gmd:descriptiveKeywords/*[normalize-space(gmd:type/*/@codeListValue) = 'place']/gmd:keyword"/>
      </xsl:call-template>
      <xsl:apply-templates select="$info//gmd:EX_TemporalExtent/gmd:extent/*"/>
      <xsl:call-template name="texts">
        <xsl:with-param name="element">rights</xsl:with-param>
        <xsl:with-param name="nodes" select="$constraints/gmd:useLimitation | $constraints/gmd:otherConstraints"/>
      </xsl:call-template>
      <xsl:for-each select="$constraints/gmd:accessConstraints/* | $constraints/gmd:useConstraints/*">
        <dc:rights><xsl:call-template name="code"/></dc:rights>
      </xsl:for-each>
    </oai_dc:dc>
  </xsl:template>

  <!-- Free text: the text in the language of the metadata, then each translation, with xml:lang where it is known. -->
  <xsl:template name="texts">
    <xsl:param name="element"/>
    <xsl:param name="nodes"/>
    <xsl:for-each select="$nodes">
      <xsl:call-template name="said">
        <xsl:with-param name="element" select="$element"/>
        <xsl:with-param name="language" select="/*/gmd:language"/>
      </xsl:call-template>
      <xsl:for-each select="gmd:PT_FreeText/gmd:textGroup/gmd:LocalisedCharacterString">
        <xsl:element name="dc:{$element}">
          <xsl:call-template name="lang">
            <xsl:with-param name="language" select="key('locale', substring-after(@locale, '#'))/gmd:languageCode"/>
          </xsl:call-template>
          <xsl:value-of select="normalize-space()"/>
        </xsl:element>
      </xsl:for-each>
    </xsl:for-each>
  </xsl:template>

  <xsl:template name="said">
    <xsl:param name="element"/>
    <xsl:param name="language"/>
    <xsl:element name="dc:{$element}">
      <xsl:call-template name="lang">
        <xsl:with-param name="language" select="$language"/>
      </xsl:call-template>
      <xsl:call-template name="text"/>
    </xsl:element>
  </xsl:template>

  <!-- The text of a property: gco:CharacterString, gmx:Anchor or whatever else stands for it, no translation. -->
  <xsl:template name="text">
    <xsl:value-of select="normalize-space(*[not(self::gmd:PT_FreeText)][1])"/>
  </xsl:template>

  <xsl:template name="parties">
    <xsl:param name="element"/>
    <xsl:param name="roles"/>
    <xsl:param name="parties"/>
    <xsl:for-each select="$parties[contains($roles,
        concat('|', translate(normalize-space(gmd:role/*/@codeListValue), $capitals, $letters), '|'))]">
      <xsl:for-each select="(gmd:organisationName[normalize-space(*)] | gmd:individualName[normalize-space(*)
          and not(../gmd:organisationName[normalize-space(*)])] | gmd:positionName[normalize-space(*)
          and not(../gmd:organisationName[normalize-space(*)]) and not(../gmd:individualName[normalize-space(*)])])[1]">
        <xsl:element name="dc:{$element}"><xsl:call-template name="text"/></xsl:element>
      </xsl:for-each>
    </xsl:for-each>
  </xsl:template>

  <xsl:template name="date">
    <xsl:param name="dates"/>
    <xsl:variable name="publication" select="$dates[gmd:dateType/*/@codeListValue = 'publication']"/>
    <xsl:variable name="revision" select="$dates[gmd:dateType/*/@codeListValue = 'revision']"/>
    <xsl:variable name="creation" select="$dates[gmd:dateType/*/@codeListValue = 'creation']"/>
    <xsl:for-each select="$publication | $revision[not($publication)] | $creation[not($publication | $revision)]">
      <dc:date><xsl:value-of select="normalize-space(gmd:date)"/></dc:date>
    </xsl:for-each>
  </xsl:template>

  <xsl:template name="languages">
    <xsl:param name="nodes"/>
    <xsl:for-each select="$nodes/*">
      <dc:language><xsl:call-template name="code"/></dc:language>
    </xsl:for-each>
  </xsl:template>

  <!-- A code: its codeListValue, else its text. -->
  <xsl:template name="code">
    <xsl:choose>
      <xsl:when test="normalize-space(@codeListValue)"><xsl:value-of select="normalize-space(@codeListValue)"/></xsl:when>
      <xsl:otherwise><xsl:value-of select="normalize-space()"/></xsl:otherwise>
    </xsl:choose>
  </xsl:template>

  <!-- xml:lang, where the code is two or three letters (records are found with "eng; USA" and with nothing at all). -->
  <xsl:template name="lang">
    <xsl:param name="language"/>
    <xsl:variable name="said"><xsl:for-each select="$language[1]/*[1]"><xsl:call-template name="code"/></xsl:for-each></xsl:variable>
    <xsl:variable name="code" select="translate(normalize-space(substring-before(concat(translate($said, '-_', ';;'), ';'), ';')), $capitals, $letters)"/>
    <xsl:if test="translate($code, $letters, '') = '' and (string-length($code) = 2 or string-length($code) = 3)">
      <xsl:variable name="short" select="substring-before(substring-after($codes, concat('|', $code, '=')), '|')"/>
      <xsl:attribute name="xml:lang">
        <xsl:value-of select="$short"/>
        <xsl:if test="not($short)"><xsl:value-of select="$code"/></xsl:if>
      </xsl:attribute>
    </xsl:if>
  </xsl:template>

  <xsl:template match="gmd:EX_GeographicBoundingBox">
    <xsl:variable name="north" select="normalize-space(gmd:northBoundLatitude)"/>
    <xsl:variable name="south" select="normalize-space(gmd:southBoundLatitude)"/>
    <xsl:variable name="west" select="normalize-space(gmd:westBoundLongitude)"/>
    <xsl:variable name="east" select="normalize-space(gmd:eastBoundLongitude)"/>
    <xsl:if test="$north and $south and $west and $east">
      <dc:coverage><xsl:value-of select="concat('northlimit=', $north, '; southlimit=', $south, '; westlimit=', $west, '; eastlimit=', $east)"/></dc:coverage>
    </xsl:if>
  </xsl:template>

  <!-- A period of time as DCMI Period writes it, an instant as it stands; an open end is left out. -->
  <xsl:template match="gmd:EX_TemporalExtent/gmd:extent/*">
    <xsl:variable name="begin" select="normalize-space((.//*[local-name() = 'beginPosition'] | .//*[local-name() = 'begin'])[normalize-space()][1])"/>
    <xsl:variable name="end" select="normalize-space((.//*[local-name() = 'endPosition'] | .//*[local-name() = 'end'])[normalize-space()][1])"/>
    <xsl:choose>
      <xsl:when test="$begin and $end"><dc:coverage><xsl:value-of select="concat('start=', $begin, '; end=', $end)"/></dc:coverage></xsl:when>
      <xsl:when test="$begin"><dc:coverage><xsl:value-of select="concat('start=', $begin)"/></dc:coverage></xsl:when>
      <xsl:when test="$end"><dc:coverage><xsl:value-of select="concat('end=', $end)"/></dc:coverage></xsl:when>
      <xsl:otherwise><dc:coverage><xsl:value-of select="normalize-space(*[local-name() = 'timePosition'])"/></dc:coverage></xsl:otherwise>
    </xsl:choose>
  </xsl:template>
</xsl:stylesheet>
