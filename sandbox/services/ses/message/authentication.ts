import { nameAndAncestors, type HostedZones } from '../../resolver/hosted-zones.ts';
import { valuesOf, type HeaderField } from './header-block.ts';
import { bareAddresses, domainOf } from './mail-addresses.ts';

/** The verdicts of SES's checks of the sender. */
export type Authentication = {
  readonly spf: 'PASS';
  readonly dkim: 'PASS' | 'GRAY';
  readonly dmarc: 'PASS' | 'FAIL' | 'GRAY';
  /** The policy of the author's domain. Set only when the message fails DMARC. */
  readonly dmarcPolicy?: (typeof policies)[number];
  /** The domain of the From field; empty if there is none. */
  readonly author: string;
};

const isBelow = (domain: string, parent: string): boolean => domain === parent || domain.endsWith(`.${parent}`);
const areAligned = (one: string, other: string): boolean => one !== '' && other !== '' && (isBelow(one, other) || isBelow(other, one));

const policies = ['none', 'quarantine', 'reject'] as const;
const policyPattern = /^"?v=DMARC1\s*;.*?\bp=(none|quarantine|reject)\b/i;

const findPolicy = async (zones: HostedZones, author: string): Promise<Authentication['dmarcPolicy']> => {
  const zone = author === '' ? undefined : await zones.find(author);
  for (const name of nameAndAncestors(author)) {
    const record = zone?.records.find((each) => each.type === 'TXT' && each.name === `_dmarc.${name}`);
    const policy = record?.values.map((value) => policyPattern.exec(value)?.[1]).find(Boolean);
    if (policy) return policies.find((each) => each === policy.toLowerCase());
  }
  return undefined;
};

/**
 * Checks the sender of a message. Every client may send for the envelope's domain, and its messages count as signed by
 * that domain. DMARC passes when the author's domain is aligned with it. Otherwise it fails by the policy in the
 * author's hosted zone; without a policy it is GRAY.
 */
export const authenticate = async (sender: string, fields: readonly HeaderField[], zones: HostedZones): Promise<Authentication> => {
  const [signer, author] = [domainOf(sender), domainOf(bareAddresses(valuesOf(fields, 'From')[0] ?? '')[0] ?? '')];
  const checks = { spf: 'PASS', dkim: signer === '' ? 'GRAY' : 'PASS', author } as const;
  if (areAligned(signer, author)) return { ...checks, dmarc: 'PASS' };
  const dmarcPolicy = await findPolicy(zones, author);
  return dmarcPolicy === undefined ? { ...checks, dmarc: 'GRAY' } : { ...checks, dmarc: 'FAIL', dmarcPolicy };
};

const dmarcResult = { PASS: 'pass', FAIL: 'fail', GRAY: 'none' } as const;

/** The lines of Authentication-Results (RFC 8601) for DKIM and DMARC, as SES writes them. */
export const authenticationLines = (sender: string, { dkim, dmarc, dmarcPolicy, author }: Authentication): string[] => [
  ...(dkim === 'PASS' ? [` dkim=pass header.i=@${domainOf(sender)};`] : []),
  ` dmarc=${dmarcResult[dmarc]}${dmarcPolicy ? ` (p=${dmarcPolicy})` : ''} header.from=${author};`,
];
