import { createHash } from 'node:crypto';
import { recordValues, normalizeName, type HostedZones } from '../../resolver/hosted-zones.ts';

/** The status of a check; `NOT_STARTED` when there is nothing to check. */
export type CheckStatus = 'NOT_STARTED' | 'PENDING' | 'SUCCESS' | 'FAILED';

/** A DKIM token as SES makes it: 32 characters of base 32 in lower case (RFC 4648 §6). */
const token = (domain: string, number: number): string => {
  const bits = [...createHash('sha256').update(`${domain} ${number}`).digest().subarray(0, 20)].map((octet) => octet.toString(2).padStart(8, '0')).join('');
  return bits
    .match(/.{5}/g)!
    .map((five) => 'abcdefghijklmnopqrstuvwxyz234567'[Number.parseInt(five, 2)])
    .join('');
};

/**
 * The three Easy DKIM tokens of a domain. They are derived from its name, as in
 * `sandbox/emulator/gaps/email_identity_dkim.py`.
 */
export const dkimTokens = (domain: string): string[] => [1, 2, 3].map((number) => token(domain, number));

/** SUCCESS when all three CNAME records of Easy DKIM are in a hosted zone with the right values. */
export const dkimStatus = async (zones: HostedZones, domain: string): Promise<CheckStatus> => {
  const zone = await zones.find(domain);
  const complete = dkimTokens(domain).every((token) =>
    recordValues(zone, `${token}._domainkey.${domain}`, 'CNAME').some((value) => normalizeName(value) === `${token}.dkim.amazonses.com`),
  );
  return complete ? 'SUCCESS' : 'PENDING';
};

/** SUCCESS when a custom MAIL FROM domain has SES's MX record and no other, and an SPF record that includes SES. */
export const mailFromStatus = async (zones: HostedZones, mailFromDomain: string, region: string): Promise<CheckStatus> => {
  const zone = await zones.find(mailFromDomain);
  const exchanges = recordValues(zone, mailFromDomain, 'MX').map((value) => normalizeName(value.trim().split(/\s+/)[1] ?? ''));
  if (exchanges.length > 1) return 'FAILED';
  const spf = recordValues(zone, mailFromDomain, 'TXT').some((value) => /v=spf1\b.*\binclude:amazonses\.com\b/.test(value));
  return exchanges[0] === `feedback-smtp.${region}.amazonses.com` && spf ? 'SUCCESS' : 'PENDING';
};

/** Hours for which the link in a verification mail is valid. */
const linkHours = 24;

export const addressStatus = (verifiedAt: string | undefined, createdAt: string, now: Date): CheckStatus => {
  if (verifiedAt !== undefined) return 'SUCCESS';
  return now.getTime() - Date.parse(createdAt) > linkHours * 3_600_000 ? 'FAILED' : 'PENDING';
};
