"""Read XML documents: encoding, fields, schemas, profile checks, files. lxml only, no Django; used by the whole project."""
