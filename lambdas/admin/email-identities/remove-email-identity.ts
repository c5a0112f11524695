import { emailIdentities as contract } from '../../../contract/admin/email-identities.ts';
import type { SenderAddresses } from '../../../core/aws/ses/ses-sender-addresses.ts';
import type { EmailIdentities } from '../../../core/directory/domains/email-identities.ts';
import { adminMethod } from '../../../core/rpc/admin-method.ts';
import { notFound } from '../../../core/rpc/rpc-error.ts';

type Dependencies = { readonly identities: Pick<EmailIdentities, 'find' | 'remove'>; readonly senderAddresses: Pick<SenderAddresses, 'remove'> };

export const removeEmailIdentity = ({ identities, senderAddresses }: Dependencies) =>
  adminMethod(contract.methods.RemoveEmailIdentity, {
    prefetch: ({ email }) => identities.find([email]),
    async run({ email }, { audit }, [record]) {
      const changes = [{ field: 'email', old_value: email }];
      audit.describe({ entity_name: email, ...(record && { entity_id: record.identity_id }), changes });
      await audit.recordPending();
      const wasRegistered = await senderAddresses.remove(email);
      // If only the record exists, an earlier call was interrupted after it removed the address: this call completes it.
      if (!wasRegistered && !record) throw notFound('email identity');
      await identities.remove(email, audit.successWrites());
      return {};
    },
  });
