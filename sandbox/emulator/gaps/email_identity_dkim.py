"""DKIM records of an email identity.

Missing: `Fn::GetAtt` of `DkimDNSTokenName1` to `3` and `DkimDNSTokenValue1` to `3`.
AWS: three CNAME records, `<token>._domainkey.<domain>` with the value `<token>.dkim.amazonses.com`, available once the
identity exists.
https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-ses-emailidentity.html
"""

import base64
import hashlib

from ministack.services import ses_v2

from gaps.provisioning import with_attributes


def patch():
    with_attributes("AWS::SES::EmailIdentity", _dkim_records)


def _dkim_records(domain, _properties):
    attributes = {}
    for number, token in enumerate(_tokens_of(domain), 1):
        attributes[f"DkimDNSTokenName{number}"] = f"{token}._domainkey.{domain}"
        attributes[f"DkimDNSTokenValue{number}"] = f"{token}.dkim.amazonses.com"
    return attributes


def _tokens_of(domain):
    dkim = ses_v2._identities[domain]["DkimAttributes"]
    dkim["Tokens"] = dkim.get("Tokens") or [_token(domain, number) for number in (1, 2, 3)]
    return dkim["Tokens"]


def _token(domain, number):
    digest = hashlib.sha256(f"{domain} {number}".encode()).digest()
    return base64.b32encode(digest).decode().lower()[:32]
