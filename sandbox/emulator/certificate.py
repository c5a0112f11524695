"""The certificate of the emulator's HTTPS port, and of servers on this machine that Lambdas call.

It is valid for names of this machine only. A process trusts it only when it is given the file.
"""

import datetime
import ipaddress
import os
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

VALID_DAYS = 365
RENEW_DAYS = 30
# Tests add the last name to the emulated DNS, with the address 127.0.0.1.
NAMES = ["localhost", "push.loopback.test"]


def ensure(certificate_path, key_path):
    """Writes certificate and key as PEM files, unless they exist and are valid for another 30 days."""
    now = datetime.datetime.now(datetime.timezone.utc)
    if Path(key_path).exists() and _is_valid(certificate_path, now + datetime.timedelta(days=RENEW_DAYS)):
        return
    key = ec.generate_private_key(ec.SECP256R1())
    certificate = _self_signed(key, now)
    os.makedirs(os.path.dirname(certificate_path), exist_ok=True)
    _write(key_path, key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()), 0o600)
    _write(certificate_path, certificate.public_bytes(serialization.Encoding.PEM), 0o644)


def _is_valid(certificate_path, until):
    try:
        certificate = x509.load_pem_x509_certificate(Path(certificate_path).read_bytes())
        names = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value.get_values_for_type(x509.DNSName)
    except (OSError, ValueError, x509.ExtensionNotFound):
        return False
    return certificate.not_valid_after_utc > until and names == NAMES


def _self_signed(key, now):
    # Each certificate has another name: a process that trusts the certificates of two sandboxes looks them up by name.
    serial_number = x509.random_serial_number()
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, f"Postrider sandbox {serial_number:x}")])
    names = [*map(x509.DNSName, NAMES), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]
    builder = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(serial_number)
        .not_valid_before(now - datetime.timedelta(hours=1))
        .not_valid_after(now + datetime.timedelta(days=VALID_DAYS))
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
    )
    return builder.sign(key, hashes.SHA256())


def _write(path, content, mode):
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode), "wb") as file:
        file.write(content)
