import type { emailIdentities } from '../../../contract/admin/email-identities.ts';
import type { SenderAddresses } from '../../../core/aws/ses/ses-sender-addresses.ts';
import type { EmailIdentities } from '../../../core/directory/domains/email-identities.ts';
import type { ProviderPositions } from '../../../core/directory/provider-positions.ts';
import type { AdminMethods } from '../../../core/rpc/admin-method.ts';
import type { Clock } from '../../../core/runtime/clock.ts';
import { addEmailIdentity } from './add-email-identity.ts';
import { listEmailIdentities } from './list-email-identities.ts';
import { removeEmailIdentity } from './remove-email-identity.ts';
import { resendVerificationEmail } from './resend-verification-email.ts';

type EmailIdentitiesDependencies = {
  /** The stored records, which have the id of each address and the time of its registration. */
  readonly identities: EmailIdentities;
  readonly positions: ProviderPositions;
  /** The sending provider, which has the addresses and their verification status. */
  readonly senderAddresses: SenderAddresses;
  readonly clock: Clock;
};

/** The methods of /email-identities (docs/specification.md#email-identities). */
export const emailIdentitiesService = (dependencies: EmailIdentitiesDependencies): AdminMethods<typeof emailIdentities> => ({
  AddEmailIdentity: addEmailIdentity(dependencies),
  ListEmailIdentities: listEmailIdentities(dependencies),
  RemoveEmailIdentity: removeEmailIdentity(dependencies),
  ResendVerificationEmail: resendVerificationEmail(dependencies),
});
