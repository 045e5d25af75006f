"""What XML documents say: reading, fields, schemas, profile checks. lxml only, no Django; used by the whole project."""
