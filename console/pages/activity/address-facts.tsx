import { Container, Header, SpaceBetween } from '@cloudscape-design/components';
import { addressKindWords } from '../../../contract/words/mail-words.ts';
import { useAdminQuery, type ResponseOf } from '../../api/admin-api.tsx';
import { AccountLink } from '../../parts/objects/names.tsx';
import { DetailList } from '../../parts/text/details.tsx';
import { Isolated } from '../../parts/text/isolated.tsx';
import { DetailedTime } from '../../parts/text/time.tsx';
import { StateExplanation, StateLabel } from '../../parts/text/values.tsx';
import { QueryView } from '../../parts/view/page.tsx';
import { activityWords } from '../../words/pages/activity.ts';
import { stateWords } from '../../words/states.ts';

const Facts = ({
  found: { address, kind, incoming, outgoing, account, account_id: removed, inactive_since: since },
}: {
  readonly found: ResponseOf<'accounts', 'FindAddress'>;
}) => {
  const fates = [
    ['incoming', incoming],
    ['outgoing', outgoing],
  ] as const;
  const reasons = kind === 'OUTSIDE' ? [] : fates.filter(([fate, state]) => stateWords(fate, state)?.look !== 'success');
  return (
    <Container
      header={
        <Header variant="h2">
          <Isolated>{address}</Isolated>
        </Header>
      }
    >
      <SpaceBetween size="m">
        <DetailList
          details={[
            { label: activityWords.what, value: addressKindWords[kind] },
            ...(account ? [{ label: activityWords.account, value: <AccountLink accountId={account.account_id} /> }] : []),
            ...(removed !== undefined && !account ? [{ label: activityWords.account, value: removed }] : []),
            ...fates.map(([fate, state]) => ({ label: activityWords[fate], value: <StateLabel kind={fate} state={state} /> })),
            ...(since === undefined ? [] : [{ label: activityWords.inactiveSince, value: <DetailedTime at={since} /> }]),
          ]}
        />
        {reasons.map(([reason, state]) => (
          <StateExplanation key={reason} kind={reason} state={state} />
        ))}
      </SpaceBetween>
    </Container>
  );
};

/** The kind of an address, and the present fate of mail for it and from it, with the next step. */
export const AddressFacts = ({ address }: { readonly address: string }) => (
  <QueryView query={useAdminQuery('accounts', 'FindAddress', { address })}>{(found) => <Facts found={found} />}</QueryView>
);
