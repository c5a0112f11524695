import { emailIdentities as contract } from '../../../contract/admin/email-identities.ts';
import type { SenderAddresses } from '../../../core/aws/ses/ses-sender-addresses.ts';
import type { EmailIdentities } from '../../../core/directory/domains/email-identities.ts';
import { reserveWhileCreating } from '../../../core/directory/reservation.ts';
import { adminMethod } from '../../../core/rpc/admin-method.ts';
import { RpcError } from '../../../core/rpc/rpc-error.ts';
import type { Clock } from '../../../core/runtime/clock.ts';
import { DomainError } from '../../../core/runtime/domain-errors.ts';
import { identityIdOf } from '../../../core/runtime/ids.ts';
import { toEmailIdentity } from './email-identity-record.ts';

type Dependencies = {
  readonly identities: Pick<EmailIdentities, 'reserve' | 'release' | 'complete' | 'renew'>;
  readonly senderAddresses: Pick<SenderAddresses, 'register' | 'find'>;
  readonly clock: Clock;
};

const alreadyRegistered = () => new RpcError('already_exists', 'this address is registered already');

/**
 * Adds an address. Its record is reserved while the provider registers the address. The next call completes an
 * interrupted one.
 */
export const addEmailIdentity = ({ identities, senderAddresses, clock }: Dependencies) =>
  adminMethod(contract.methods.AddEmailIdentity, {
    async run({ email }, { audit }) {
      audit.describe({ entity_name: email });
      const reserving = identities.reserve(email, identityIdOf(email));
      const [{ id, isReady }, registered] = await reserveWhileCreating(reserving, senderAddresses.register(email));
      const isNewAtProvider = await registered().catch(async (error: unknown) => {
        if (error instanceof DomainError) await identities.release(email, id);
        throw error;
      });
      if (isReady && !isNewAtProvider) throw alreadyRegistered();
      const record = { email, identity_id: id, created_at: clock().toISOString() };
      const status = isNewAtProvider ? 'PENDING' : (await senderAddresses.find(email))?.status;
      audit.describe({ entity_id: id, changes: [{ field: 'email', new_value: email }] });
      const isStored = await (isReady ? identities.renew : identities.complete)(record, audit.successWrites());
      if (!isStored) throw alreadyRegistered();
      return { identity: toEmailIdentity(record, status ?? 'PENDING') };
    },
  });
