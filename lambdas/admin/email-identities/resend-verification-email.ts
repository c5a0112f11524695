import { emailIdentities as contract } from '../../../contract/admin/email-identities.ts';
import type { SenderAddresses } from '../../../core/aws/ses/ses-sender-addresses.ts';
import type { EmailIdentities } from '../../../core/directory/domains/email-identities.ts';
import { adminMethod } from '../../../core/rpc/admin-method.ts';
import { notFound, RpcError } from '../../../core/rpc/rpc-error.ts';
import type { Clock } from '../../../core/runtime/clock.ts';
import { identityIdOf } from '../../../core/runtime/ids.ts';
import { findOrAdoptRecord } from './email-identity-record.ts';

type Dependencies = {
  readonly identities: Pick<EmailIdentities, 'find' | 'adopt'>;
  readonly senderAddresses: Pick<SenderAddresses, 'find' | 'remove' | 'register'>;
  readonly clock: Clock;
};

/**
 * Removes the address at the provider and registers it again, because SES sends the verification mail only on
 * registration.
 */
export const resendVerificationEmail = (dependencies: Dependencies) => {
  const { identities, senderAddresses } = dependencies;
  return adminMethod(contract.methods.ResendVerificationEmail, {
    prefetch: ({ email }) => identities.find([email]),
    async run({ email }, { audit }, records) {
      audit.describe({ entity_name: email, entity_id: records[0]?.identity_id ?? identityIdOf(email) });
      const [address] = await Promise.all([senderAddresses.find(email), audit.recordPending()]);
      if (!address && records.length === 0) throw notFound('email identity');
      if (address?.status === 'SUCCESS') throw new RpcError('failed_precondition', 'the address is verified already');
      // The record is stored before the new registration, so that the next call can resume an interrupted call.
      await Promise.all([senderAddresses.remove(email), findOrAdoptRecord(dependencies, email, records)]);
      await senderAddresses.register(email);
      return {};
    },
  });
};
