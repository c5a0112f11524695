import { emailIdentities as contract, type EmailIdentity } from '../../../contract/admin/email-identities.ts';
import { type VerificationStatus } from '../../../contract/admin/domains.ts';
import { adminMethod, type AdminMethods } from '../../../core/rpc/admin-method.ts';
import type { Clock } from '../../../core/runtime/clock.ts';
import { identityIdOf } from '../../../core/runtime/identity-id.ts';
import { DomainError } from '../../../core/runtime/domain-errors.ts';
import { notFound, RpcError } from '../../../core/rpc/rpc-error.ts';
import type { SenderAddress, SenderAddresses } from '../../../core/aws/ses/sender-addresses.ts';
import type { EmailIdentities, EmailIdentityRecord } from '../../../core/directory/email-identities.ts';
import type { ProviderPositions } from '../../../core/directory/provider-positions.ts';
import { reserveWhileCreating } from '../../../core/directory/reservation.ts';

export type EmailIdentitiesConnections = {
  readonly identities: EmailIdentities;
  readonly positions: ProviderPositions;
  readonly senderAddresses: SenderAddresses;
  readonly clock: Clock;
};

const shown = ({ email, identity_id, created_at }: EmailIdentityRecord, status: VerificationStatus): EmailIdentity =>
  ({ email, verification_status: `VERIFICATION_STATUS_${status}`, identity_id, created_at });

const taken = () => new RpcError('already_exists', 'this address is registered already');

/** What /email-identities does: the provider knows the addresses, and how they stand; what we keep of each is the moment when it came. */
export const emailIdentitiesMethods = ({ identities, positions, senderAddresses, clock }: EmailIdentitiesConnections): AdminMethods<typeof contract> => {
  /** What is kept of an address that the provider knows; one that it got from somebody else is kept from now on. */
  const recordOf = async ({ email }: SenderAddress, known: readonly EmailIdentityRecord[]): Promise<EmailIdentityRecord> =>
    known.find((record) => record.email === email) ?? identities.adopt({ email, identity_id: identityIdOf(email), created_at: clock().toISOString() });

  return {
    /** Its record is reserved while it is registered, then the record is complete; an interrupted call is gone on with by the next one. */
    AddEmailIdentity: adminMethod(contract.methods.AddEmailIdentity, {
      async run({ email }, { audit }) {
        audit.describe({ entity_name: email });
        const [{ id, isReady }, registered] = await reserveWhileCreating(identities.reserve(email, identityIdOf(email)), senderAddresses.register(email));
        const isNew = await registered().catch(async (error: unknown) => {
          if (error instanceof DomainError) await identities.release(email, id);
          throw error;
        });
        if (isReady && !isNew) throw taken();
        const record = { email, identity_id: id, created_at: clock().toISOString() };
        const status = isNew ? 'PENDING' : (await senderAddresses.find(email))?.status;
        audit.describe({ entity_id: id, changes: [{ field: 'email', new_value: email }] });
        const isMade = isReady ? await identities.renew(record, audit.successWrites()) : await identities.complete(record, audit.successWrites());
        if (!isMade) throw taken();
        return { identity: shown(record, status ?? 'PENDING') };
      },
    }),

    ListEmailIdentities: adminMethod(contract.methods.ListEmailIdentities, {
      prefetch: async (_, { pageAfter }) => pageAfter && positions.find(pageAfter),
      run: async ({ page_size: size }, { pageAfter, nextPageToken }, after) => {
        if (pageAfter !== undefined && after === undefined) throw new RpcError('invalid_argument', 'page_token is too old; begin again');
        const { items, next } = await senderAddresses.list(after, size);
        const [known, kept] = await Promise.all([identities.find(items.map(({ email }) => email)), next && positions.save(next)]);
        const all = await Promise.all(items.map(async (address) => shown(await recordOf(address, known), address.status)));
        return { identities: all, next_page_token: await nextPageToken(kept) };
      },
    }),

    RemoveEmailIdentity: adminMethod(contract.methods.RemoveEmailIdentity, {
      prefetch: ({ email }) => identities.find([email]),
      run: async ({ email }, { audit }, [kept]) => {
        audit.describe({ entity_name: email, ...(kept && { entity_id: kept.identity_id }), changes: [{ field: 'email', old_value: email }] });
        await audit.recordPending();
        const wasThere = await senderAddresses.remove(email);
        // What is kept without being there was left by an interrupted call.
        if (!wasThere && !kept) throw notFound('email identity');
        await identities.remove(email, audit.successWrites());
        return {};
      },
    }),

    /** SES sends the mail when an address is registered and never again, so the one that waits is registered anew. */
    ResendVerificationEmail: adminMethod(contract.methods.ResendVerificationEmail, {
      prefetch: ({ email }) => identities.find([email]),
      run: async ({ email }, { audit }, known) => {
        audit.describe({ entity_name: email, entity_id: known[0]?.identity_id ?? identityIdOf(email) });
        const [found] = await Promise.all([senderAddresses.find(email), audit.recordPending()]);
        if (!found && known.length === 0) throw notFound('email identity');
        if (found?.status === 'SUCCESS') throw new RpcError('failed_precondition', 'the address is verified already');
        await Promise.all([senderAddresses.remove(email), recordOf({ email, status: 'PENDING' }, known)]);
        await senderAddresses.register(email);
        return {};
      },
    }),
  };
};
