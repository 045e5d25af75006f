<?xml version="1.0" encoding="UTF-8"?>
<!-- An answer of OAI-PMH as a page for people: readable and clickable, without script, from this node alone.
     A browser applies it to /oai, and the node itself for /oai/browse; every link is relative, so it stays there. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:o="http://www.openarchives.org/OAI/2.0/"
    xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/"
    xmlns:gmd="http://www.isotc211.org/2005/gmd" exclude-result-prefixes="o dc oai_dc gmd">
<xsl:output method="html" encoding="UTF-8" indent="no"/>

<!-- The address of the same as XML, where the node applies this. -->
<xsl:param name="xml"/>
<xsl:variable name="request" select="/o:OAI-PMH/o:request"/>
<!-- The format of this answer; a continuation does not say it, but a record in it does. -->
<xsl:variable name="prefix">
  <xsl:choose>
    <xsl:when test="$request/@metadataPrefix"><xsl:value-of select="$request/@metadataPrefix"/></xsl:when>
    <xsl:when test="/o:OAI-PMH/o:ListRecords/o:record/o:metadata/oai_dc:dc">oai_dc</xsl:when>
    <xsl:otherwise>iso19139</xsl:otherwise>
  </xsl:choose>
</xsl:variable>

<xsl:template match="/o:OAI-PMH">
  <html lang="en">
    <head>
      <meta name="viewport" content="width=device-width, initial-scale=1"/>
      <title><xsl:value-of select="concat('OAI-PMH ', $request/@verb)"/></title>
      <link rel="stylesheet" href="/static/catalogue/pages.css"/>
      <link rel="icon" href="/static/catalogue/icon.svg" type="image/svg+xml"/>
    </head>
    <body>
      <header class="bar">
        <div class="inside">
          <a class="name" href="/">Metadata catalogue</a>
          <nav aria-label="Verbs">
            <a href="?verb=Identify">Identify</a>
            <a href="?verb=ListMetadataFormats">Formats</a>
            <a href="?verb=ListSets">Sets</a>
            <a href="?verb=ListIdentifiers&amp;metadataPrefix=iso19139">Headers</a>
            <a href="?verb=ListRecords&amp;metadataPrefix=oai_dc">Records</a>
          </nav>
        </div>
      </header>
      <main class="inside" id="content"><xsl:apply-templates select="*[position() &gt; 2]"/></main>
      <footer>
        <div class="inside">
          <xsl:value-of select="concat('Answer of ', $request, ' at ', o:responseDate, ' · ')"/>
          <xsl:text>OAI-PMH 2.0</xsl:text>
          <xsl:if test="$xml"><xsl:text> · </xsl:text><a href="{$xml}">the same as XML</a></xsl:if>
        </div>
      </footer>
    </body>
  </html>
</xsl:template>

<xsl:template match="o:error">
  <xsl:if test="position() = 1"><h1>No answer</h1></xsl:if>
  <div class="note bad"><p><strong><xsl:value-of select="@code"/></strong>: <xsl:value-of select="."/></p></div>
</xsl:template>

<xsl:template match="o:Identify">
  <h1><xsl:value-of select="o:repositoryName"/></h1>
  <dl>
    <xsl:for-each select="o:*[not(self::o:repositoryName or self::o:description)]">
      <dt><xsl:value-of select="local-name()"/></dt>
      <dd><xsl:value-of select="."/></dd>
    </xsl:for-each>
  </dl>
  <xsl:for-each select="o:description">
    <h2><xsl:value-of select="local-name(*)"/></h2>
    <xsl:apply-templates select="*" mode="tree"/>
  </xsl:for-each>
</xsl:template>

<xsl:template match="o:ListMetadataFormats">
  <h1>Metadata formats</h1>
  <div class="wide"><table>
    <tr><th>prefix</th><th>namespace</th><th>schema</th><th>lists</th></tr>
    <xsl:for-each select="o:metadataFormat">
      <tr>
        <td><xsl:value-of select="o:metadataPrefix"/></td>
        <td><xsl:value-of select="o:metadataNamespace"/></td>
        <td><xsl:value-of select="o:schema"/></td>
        <td>
          <xsl:choose>
            <xsl:when test="$request/@identifier">
              <xsl:call-template name="record-link">
                <xsl:with-param name="identifier" select="$request/@identifier"/>
                <xsl:with-param name="format" select="o:metadataPrefix"/>
                <xsl:with-param name="text">this record</xsl:with-param>
              </xsl:call-template>
            </xsl:when>
            <xsl:otherwise>
              <a href="?verb=ListIdentifiers&amp;metadataPrefix={o:metadataPrefix}">headers</a><xsl:text> · </xsl:text>
              <a href="?verb=ListRecords&amp;metadataPrefix={o:metadataPrefix}">records</a>
            </xsl:otherwise>
          </xsl:choose>
        </td>
      </tr>
    </xsl:for-each>
  </table></div>
</xsl:template>

<xsl:template match="o:ListSets">
  <h1>Sets</h1>
  <div class="wide"><table>
    <tr><th>setSpec</th><th>name</th><th>lists</th></tr>
    <xsl:for-each select="o:set">
      <tr>
        <td><xsl:value-of select="o:setSpec"/></td>
        <td>
          <xsl:value-of select="o:setName"/>
          <xsl:for-each select="o:setDescription/*/*"><div class="quiet small" dir="auto"><xsl:value-of select="."/></div></xsl:for-each>
        </td>
        <td>
          <xsl:variable name="set"><xsl:call-template name="encoded"><xsl:with-param name="text" select="o:setSpec"/></xsl:call-template></xsl:variable>
          <a href="?verb=ListIdentifiers&amp;metadataPrefix=iso19139&amp;set={$set}">headers</a><xsl:text> · </xsl:text>
          <a href="?verb=ListRecords&amp;metadataPrefix=oai_dc&amp;set={$set}">records</a>
        </td>
      </tr>
    </xsl:for-each>
  </table></div>
  <xsl:apply-templates select="o:resumptionToken"/>
</xsl:template>

<xsl:template match="o:ListIdentifiers | o:ListRecords">
  <h1>
    <xsl:choose><xsl:when test="self::o:ListRecords">Records</xsl:when><xsl:otherwise>Headers</xsl:otherwise></xsl:choose>
    <xsl:if test="$request/@set"> of <xsl:value-of select="$request/@set"/></xsl:if>
  </h1>
  <xsl:if test="$request/@from | $request/@until">
    <p class="quiet"><xsl:for-each select="$request/@from | $request/@until"><xsl:value-of select="concat(name(), ' ', ., ' ')"/></xsl:for-each></p>
  </xsl:if>
  <xsl:apply-templates select="o:resumptionToken"/>
  <ul class="hits"><xsl:apply-templates select="o:header | o:record/o:header" mode="hit"/></ul>
  <xsl:apply-templates select="o:resumptionToken"/>
</xsl:template>

<xsl:template match="o:header" mode="hit">
  <li>
    <xsl:variable name="title"><xsl:call-template name="title"/></xsl:variable>
    <xsl:if test="string($title)"><div class="title" dir="auto"><xsl:value-of select="$title"/></div></xsl:if>
    <p><xsl:call-template name="record-link"/></p>
    <p class="quiet small"><xsl:call-template name="stamp"/></p>
  </li>
</xsl:template>

<xsl:template match="o:GetRecord">
  <xsl:for-each select="o:record/o:header">
    <xsl:variable name="title"><xsl:call-template name="title"/></xsl:variable>
    <xsl:choose>
      <xsl:when test="string($title)">
        <h1 dir="auto"><xsl:value-of select="$title"/></h1>
        <p class="quiet"><xsl:value-of select="o:identifier"/><br/><xsl:call-template name="stamp"/></p>
      </xsl:when>
      <xsl:otherwise>
        <h1><xsl:value-of select="o:identifier"/></h1>
        <p class="quiet"><xsl:call-template name="stamp"/></p>
      </xsl:otherwise>
    </xsl:choose>
    <p class="actions">
      <xsl:call-template name="record-link"><xsl:with-param name="format">oai_dc</xsl:with-param><xsl:with-param name="text">as oai_dc</xsl:with-param></xsl:call-template>
      <xsl:call-template name="record-link"><xsl:with-param name="format">iso19139</xsl:with-param><xsl:with-param name="text">as iso19139</xsl:with-param></xsl:call-template>
      <xsl:variable name="identifier"><xsl:call-template name="encoded"><xsl:with-param name="text" select="o:identifier"/></xsl:call-template></xsl:variable>
      <a href="?verb=ListMetadataFormats&amp;identifier={$identifier}">its formats</a>
    </p>
  </xsl:for-each>
  <xsl:for-each select="o:record/o:metadata | o:record/o:about">
    <h2><xsl:value-of select="local-name()"/></h2>
    <xsl:apply-templates select="*" mode="tree"/>
  </xsl:for-each>
</xsl:template>

<xsl:template match="o:resumptionToken">
  <p class="pager">
    <xsl:if test="@completeListSize">
      <span class="quiet"><xsl:value-of select="concat('from number ', @cursor + 1, ' of ', @completeListSize)"/></span>
    </xsl:if>
    <xsl:choose>
      <xsl:when test="string(.)">
        <xsl:variable name="token"><xsl:call-template name="encoded"><xsl:with-param name="text" select="."/></xsl:call-template></xsl:variable>
        <a rel="next" href="?verb={$request/@verb}&amp;resumptionToken={$token}">next page</a>
      </xsl:when>
      <xsl:otherwise><span class="quiet">the last page</span></xsl:otherwise>
    </xsl:choose>
  </p>
</xsl:template>

<!-- Of the record whose header is the context node: its title, in the two formats that ship. -->
<xsl:template name="title">
  <xsl:variable name="metadata" select="../o:metadata"/>
  <xsl:value-of select="normalize-space(($metadata/oai_dc:dc/dc:title
    | $metadata/*/gmd:identificationInfo/*/gmd:citation/*/gmd:title/*[not(self::gmd:PT_FreeText)])[1])"/>
</xsl:template>

<!-- Of the header that is the context node: when it changed, whether it is deleted, its sets. -->
<xsl:template name="stamp">
  <span class="time"><xsl:value-of select="o:datestamp"/></span>
  <xsl:if test="@status = 'deleted'"><xsl:text> · </xsl:text><strong class="failed">deleted</strong></xsl:if>
  <xsl:for-each select="o:setSpec"><xsl:value-of select="concat(' · ', .)"/></xsl:for-each>
</xsl:template>

<xsl:template name="record-link">
  <xsl:param name="identifier" select="o:identifier"/>
  <xsl:param name="format" select="$prefix"/>
  <xsl:param name="text" select="$identifier"/>
  <xsl:variable name="encoded"><xsl:call-template name="encoded"><xsl:with-param name="text" select="$identifier"/></xsl:call-template></xsl:variable>
  <a href="?verb=GetRecord&amp;metadataPrefix={$format}&amp;identifier={$encoded}"><xsl:value-of select="$text"/></a>
</xsl:template>

<!-- Any XML: an element with text on one line, one with elements inside as an indented list under its name. -->
<xsl:template match="*" mode="tree">
  <xsl:choose>
    <xsl:when test="*">
      <details open="open">
        <summary><xsl:value-of select="name()"/><xsl:call-template name="attributes"/></summary>
        <div class="inner"><xsl:apply-templates select="*" mode="tree"/></div>
      </details>
    </xsl:when>
    <xsl:otherwise>
      <div>
        <span class="quiet"><xsl:value-of select="name()"/></span><xsl:call-template name="attributes"/>
        <xsl:text> </xsl:text><span dir="auto"><xsl:value-of select="."/></span>
      </div>
    </xsl:otherwise>
  </xsl:choose>
</xsl:template>

<xsl:template name="attributes">
  <xsl:for-each select="@*[namespace-uri() != 'http://www.w3.org/2001/XMLSchema-instance']">
    <span class="quiet small"><xsl:value-of select="concat(' ', name(), '=', .)"/></span>
  </xsl:for-each>
</xsl:template>

<!-- A value in the query of a link. What is not ASCII is encoded when HTML is written (XSLT 1.0, 16.2). -->
<xsl:template name="encoded">
  <xsl:param name="text"/>
  <xsl:call-template name="replaced">
    <xsl:with-param name="text" select="$text"/>
    <xsl:with-param name="marks" select="'%&amp;+# ;?&quot;&lt;&gt;'"/>
    <xsl:with-param name="codes" select="'%25%26%2B%23%20%3B%3F%22%3C%3E'"/>
  </xsl:call-template>
</xsl:template>

<!-- Each of the marks replaced by its code of three characters; % is the first, or codes would be encoded again. -->
<xsl:template name="replaced">
  <xsl:param name="text"/>
  <xsl:param name="marks"/>
  <xsl:param name="codes"/>
  <xsl:choose>
    <xsl:when test="$marks">
      <xsl:call-template name="replaced">
        <xsl:with-param name="text"><xsl:call-template name="without"><xsl:with-param name="text" select="$text"/><xsl:with-param name="mark" select="substring($marks, 1, 1)"/><xsl:with-param name="code" select="substring($codes, 1, 3)"/></xsl:call-template></xsl:with-param>
        <xsl:with-param name="marks" select="substring($marks, 2)"/>
        <xsl:with-param name="codes" select="substring($codes, 4)"/>
      </xsl:call-template>
    </xsl:when>
    <xsl:otherwise><xsl:value-of select="$text"/></xsl:otherwise>
  </xsl:choose>
</xsl:template>

<xsl:template name="without">
  <xsl:param name="text"/>
  <xsl:param name="mark"/>
  <xsl:param name="code"/>
  <xsl:choose>
    <xsl:when test="contains($text, $mark)">
      <xsl:value-of select="concat(substring-before($text, $mark), $code)"/>
      <xsl:call-template name="without"><xsl:with-param name="text" select="substring-after($text, $mark)"/><xsl:with-param name="mark" select="$mark"/><xsl:with-param name="code" select="$code"/></xsl:call-template>
    </xsl:when>
    <xsl:otherwise><xsl:value-of select="$text"/></xsl:otherwise>
  </xsl:choose>
</xsl:template>
</xsl:stylesheet>
