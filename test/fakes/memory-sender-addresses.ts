import type { VerificationStatus } from '../../contract/admin/domains.ts';
import { foreignIdentity } from '../../core/aws/ses/ses-email-provider.ts';
import type { SenderAddresses } from '../../core/aws/ses/ses-sender-addresses.ts';
import { InvalidInput } from '../../core/runtime/domain-errors.ts';

/** {@link SenderAddresses} in memory. */
type MemorySenderAddresses = SenderAddresses & {
  /** Registers an address as another application would. */
  registerForeign(email: string): void;
  /** Simulates that the owner follows the verification link, or lets it expire. */
  setStatus(email: string, status?: VerificationStatus): void;
  /** The addresses to which a verification link was sent, in order. */
  readonly mailed: readonly string[];
  /** Verified domains, which listVerifiedIdentities also returns. */
  readonly verifiedDomains: Set<string>;
};

/** Characters of SES's page tokens, which are messages of the AWS Encryption SDK in base64. */
const positionLength = 900;
const positionAt = (start: number): string => `after:${start}:`.padEnd(positionLength, 'x');

export const memorySenderAddresses = (): MemorySenderAddresses => {
  const addresses = new Map<string, VerificationStatus>();
  const mailed: string[] = [];
  const foreign = new Set<string>();
  const verifiedDomains = new Set<string>();
  return {
    mailed,
    verifiedDomains,
    registerForeign(email) {
      foreign.add(email);
      addresses.set(email, 'PENDING');
    },
    setStatus: (email, status = 'SUCCESS') => void addresses.set(email, status),
    async register(email) {
      if (email.endsWith('@refused.test')) throw new InvalidInput('the sending provider refuses this email address');
      if (addresses.has(email)) return false;
      addresses.set(email, 'PENDING');
      mailed.push(email);
      return true;
    },
    async find(email) {
      const status = addresses.get(email);
      return status && { email, status };
    },
    async list(after, size) {
      const all = [...addresses].map(([email, status]) => ({ email, status })).sort((a, b) => (a.email < b.email ? -1 : 1));
      const start = Number(after === undefined ? 0 : /^after:(\d+):x+$/.exec(after)?.[1]);
      if (!Number.isInteger(start)) throw new InvalidInput('page_token has expired; start again from the first page');
      return { items: all.slice(start, start + size), next: start + size < all.length ? positionAt(start + size) : undefined };
    },
    async remove(email) {
      if (foreign.has(email)) throw foreignIdentity(email, 'Postrider');
      return addresses.delete(email);
    },
    async listVerifiedIdentities() {
      return [...[...addresses].filter(([, status]) => status === 'SUCCESS').map(([email]) => email), ...verifiedDomains];
    },
  };
};
