"""Containers in the description of Identify, as an operator writes them."""

from catalogue import oai

XSI = f'xmlns:xsi="{oai.XSI_NS}"'
GUIDELINES = "http://www.openarchives.org/OAI/2.0/"
BRANDING = (
    f'<branding xmlns="{GUIDELINES}branding/" {XSI} xsi:schemaLocation="{GUIDELINES}branding/ {GUIDELINES}branding.xsd">'
    "<collectionIcon><url>http://gisc-tokyo.example.org/icon.png</url><link>http://gisc-tokyo.example.org/</link>"
    "<title>GISC Tokyo</title><width>88</width><height>31</height></collectionIcon></branding>"
)
