import { generateKeyPairSync } from 'node:crypto';
import { authenticate, dkimSign } from 'mailauth';
import { domainOf } from '../../contract/values/mail-address.ts';

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const key = privateKey.export({ type: 'pkcs1', format: 'pem' }).toString();
const record = `v=DKIM1; p=${publicKey.export({ type: 'spki', format: 'der' }).toString('base64')}`;

const selector = 'ses';
const sesAddress = '192.0.2.10';

/** The answer of DNS for a name without records. */
const notFound = (name: string): Error => Object.assign(new Error(`ENOTFOUND ${name}`), { code: 'ENOTFOUND' });

/** DNS in which every domain has the policy reject, every selector SES's key, and amazonses.com sends from one address. */
const resolver = async (name: string, type: string): Promise<unknown> => {
  if (type === 'TXT' && name.startsWith(`${selector}._domainkey.`)) return [[record]];
  if (type === 'TXT' && name.startsWith('_dmarc.')) return [['v=DMARC1; p=reject; adkim=s; aspf=s']];
  if (type === 'TXT' && name === 'amazonses.com') return [[`v=spf1 ip4:${sesAddress} -all`]];
  throw notFound(name);
};

/**
 * Checks a message as a server outside does that gets it from SES (SPF, DKIM, DMARC). SES signs for its own domain, and for the
 * domain of From where that is a verified identity. The envelope sender is SES's, as without a custom MAIL FROM domain.
 * @param from the address in From.
 */
export const checkAsReceiver = async (raw: string, from: string, verifiedDomains: readonly string[]) => {
  const domain = domainOf(from);
  const signingDomains = ['amazonses.com', ...(verifiedDomains.includes(domain) ? [domain] : [])];
  const signatureData = signingDomains.map((signingDomain) => ({ signingDomain, selector, privateKey: key }));
  const { signatures, errors } = await dkimSign(Buffer.from(raw), { canonicalization: 'relaxed/simple', signatureData });
  if (errors.length > 0) throw new Error(JSON.stringify(errors));
  const sender = '010001-abc@amazonses.com';
  const where = { ip: sesAddress, helo: 'a1.amazonses.com', sender, mta: 'mx.elsewhere.test', resolver, disableArc: true, disableBimi: true };
  const { dkim, spf, dmarc } = await authenticate(Buffer.from(signatures + raw), where);
  return {
    dkim: dkim.results.filter(({ status }) => status.result === 'pass').map(({ signingDomain }) => signingDomain),
    spf: spf.status.result,
    dmarc: dmarc.status.result,
    policy: dmarc.policy,
  };
};
