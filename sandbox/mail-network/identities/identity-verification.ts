import { createHash } from 'node:crypto';
import { valuesAt, plainName, type Zones } from '../../resolver/hosted-zones.ts';

/** What SES says of a check: `NOT_STARTED` where there is nothing to check. */
export type CheckStatus = 'NOT_STARTED' | 'PENDING' | 'SUCCESS' | 'FAILED';

/** 32 letters and digits, as SES's tokens look (RFC 4648 base 32 in lower case). */
const token = (domain: string, number: number): string => {
  const bits = [...createHash('sha256').update(`${domain} ${number}`).digest().subarray(0, 20)].map((octet) => octet.toString(2).padStart(8, '0')).join('');
  return bits.match(/.{5}/g)!.map((five) => 'abcdefghijklmnopqrstuvwxyz234567'[Number.parseInt(five, 2)]).join('');
};

/** The three Easy DKIM tokens of a domain: always the same, and those that the emulator gives a template's identity (gaps/email_identity_dkim.py). */
export const dkimTokens = (domain: string): string[] => [1, 2, 3].map((number) => token(domain, number));

/** Whether all three CNAME records of Easy DKIM are in a hosted zone, each with the right target. */
export const dkimStatus = async (zones: Zones, domain: string): Promise<CheckStatus> => {
  const zone = await zones.find(domain);
  const found = dkimTokens(domain).every((token) =>
    valuesAt(zone, `${token}._domainkey.${domain}`, 'CNAME').some((value) => plainName(value) === `${token}.dkim.amazonses.com`));
  return found ? 'SUCCESS' : 'PENDING';
};

/** Whether a custom MAIL FROM domain has SES's MX record, and it alone, and an SPF record that lets SES send. */
export const mailFromStatus = async (zones: Zones, mailFromDomain: string, region: string): Promise<CheckStatus> => {
  const zone = await zones.find(mailFromDomain);
  const exchanges = valuesAt(zone, mailFromDomain, 'MX').map((value) => plainName(value.trim().split(/\s+/)[1] ?? ''));
  if (exchanges.length > 1) return 'FAILED';
  const spf = valuesAt(zone, mailFromDomain, 'TXT').some((value) => /v=spf1\b.*\binclude:amazonses\.com\b/.test(value));
  return exchanges[0] === `feedback-smtp.${region}.amazonses.com` && spf ? 'SUCCESS' : 'PENDING';
};

/** A person has a day to follow the link in the verification mail. */
const linkHours = 24;

export const addressStatus = (verifiedAt: string | undefined, createdAt: string, now: Date): CheckStatus => {
  if (verifiedAt !== undefined) return 'SUCCESS';
  return now.getTime() - Date.parse(createdAt) > linkHours * 3_600_000 ? 'FAILED' : 'PENDING';
};
