import type { VerificationStatus } from '../../../contract/admin/domains.ts';
import type { EmailIdentity } from '../../../contract/admin/email-identities.ts';
import type { EmailIdentities, EmailIdentityRecord } from '../../../core/directory/domains/email-identities.ts';
import type { Clock } from '../../../core/runtime/clock.ts';
import { identityIdOf } from '../../../core/runtime/ids.ts';

/** The EmailIdentity message of a response. */
export const toEmailIdentity = ({ email, identity_id, created_at }: EmailIdentityRecord, status: VerificationStatus): EmailIdentity => ({
  email,
  verification_status: `VERIFICATION_STATUS_${status}`,
  identity_id,
  created_at,
});

type AdoptingDependencies = { readonly identities: Pick<EmailIdentities, 'adopt'>; readonly clock: Clock };

/** The record of an address that the provider knows. If it was registered outside Postrider, its record is created. */
export const findOrAdoptRecord = async (
  { identities, clock }: AdoptingDependencies,
  email: string,
  records: readonly EmailIdentityRecord[],
): Promise<EmailIdentityRecord> =>
  records.find((record) => record.email === email) ?? identities.adopt({ email, identity_id: identityIdOf(email), created_at: clock().toISOString() });
