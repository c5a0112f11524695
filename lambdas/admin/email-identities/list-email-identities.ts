import { emailIdentities as contract } from '../../../contract/admin/email-identities.ts';
import type { SenderAddresses } from '../../../core/aws/ses/ses-sender-addresses.ts';
import type { EmailIdentities } from '../../../core/directory/domains/email-identities.ts';
import type { ProviderPositions } from '../../../core/directory/provider-positions.ts';
import { adminMethod } from '../../../core/rpc/admin-method.ts';
import { RpcError } from '../../../core/rpc/rpc-error.ts';
import type { Clock } from '../../../core/runtime/clock.ts';
import { findOrAdoptRecord, toEmailIdentity } from './email-identity-record.ts';

type Dependencies = {
  readonly identities: Pick<EmailIdentities, 'find' | 'adopt'>;
  readonly positions: ProviderPositions;
  readonly senderAddresses: Pick<SenderAddresses, 'list'>;
  readonly clock: Clock;
};

/** Lists the addresses at the provider. The page token contains the provider's own page token. */
export const listEmailIdentities = (dependencies: Dependencies) => {
  const { identities, positions, senderAddresses } = dependencies;
  return adminMethod(contract.methods.ListEmailIdentities, {
    prefetch: async (_request, { pageAfter }) => pageAfter && positions.find(pageAfter),
    async run({ page_size: pageSize }, { pageAfter, nextPageToken }, providerPosition) {
      if (pageAfter !== undefined && providerPosition === undefined) {
        throw new RpcError('invalid_argument', 'page_token has expired; start again from the first page');
      }
      const { items, next } = await senderAddresses.list(providerPosition, pageSize);
      const [records, nextPosition] = await Promise.all([identities.find(items.map(({ email }) => email)), next && positions.save(next)]);
      const emailIdentities = await Promise.all(
        items.map(async ({ email, status }) => toEmailIdentity(await findOrAdoptRecord(dependencies, email, records), status)),
      );
      return { identities: emailIdentities, next_page_token: await nextPageToken(nextPosition) };
    },
  });
};
