"""Stylesheets for tests: small crosswalks to a format of our own."""

from oaiprovider.models import Crosswalk

NAMESPACE = "http://example.org/brief/"
SCHEMA = "http://example.org/brief.xsd"
PREFIX = "brief"


def sheet(*templates: str, declared: str = "", version: str = "1.0") -> str:
    """A stylesheet with these templates; what it makes is in our namespace unless it says otherwise."""
    return (
        f'<xsl:stylesheet version="{version}" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns="{NAMESPACE}"\n'
        ' xmlns:gmd="http://www.isotc211.org/2005/gmd" xmlns:exsl="http://exslt.org/common"\n'
        f' xmlns:str="http://exslt.org/strings" exclude-result-prefixes="gmd exsl str" {declared}>\n'
        + "\n".join(templates)
        + "\n</xsl:stylesheet>"
    )


def root(inside: str) -> str:
    return f'<xsl:template match="/">{inside}</xsl:template>'


TITLE = "normalize-space(//gmd:identificationInfo/*/gmd:citation/*/gmd:title/*[1])"


def brief(edition: str = "first") -> str:
    """Identifier and title; a record whose title holds `impossible` is not available."""
    return sheet(
        '<xsl:param name="identifier"/>',
        root(
            f'<xsl:if test="contains({TITLE}, \'impossible\')"><xsl:message terminate="yes">no title</xsl:message></xsl:if>'
            f'<brief edition="{edition}"><id><xsl:value-of select="$identifier"/></id>'
            f'<title><xsl:value-of select="{TITLE}"/></title></brief>'
        ),
    )


def add(**changes: object) -> Crosswalk:
    """The crosswalk to `brief`, in the database."""
    values: dict[str, object] = {"prefix": PREFIX, "namespace": NAMESPACE, "schema": SCHEMA, "stylesheet": brief()}
    crosswalk = Crosswalk.objects.create(**(values | changes))
    crosswalk.refresh_from_db()
    return crosswalk


def change(crosswalk: Crosswalk, **changes: object) -> Crosswalk:
    for name, value in changes.items():
        setattr(crosswalk, name, value)
    crosswalk.save()
    crosswalk.refresh_from_db()
    return crosswalk
