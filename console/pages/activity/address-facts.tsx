import { Container, Header, SpaceBetween } from '@cloudscape-design/components';
import { isolated } from '../../../contract/values/isolated.ts';
import { addressKindWords } from '../../../contract/words/mail-words.ts';
import { useAdminQuery, type ResponseOf } from '../../api/admin-api.tsx';
import { AccountLink } from '../../parts/objects/names.tsx';
import { DetailList } from '../../parts/text/details.tsx';
import { Isolated } from '../../parts/text/isolated.tsx';
import { DetailedTime } from '../../parts/text/time.tsx';
import { StateExplanation, StateLabel } from '../../parts/text/values.tsx';
import { QueryView } from '../../parts/view/page.tsx';
import { activityWords } from '../../words/pages/activity.ts';
import { forwardingWords } from '../../words/pages/forwarding.ts';
import { stateWords } from '../../words/states.ts';
import type { Forwarding } from '../forwarding/forward-addresses.tsx';
import { MemberLink, ReceiverLink, type Receiver } from '../groups/member-link.tsx';

/** Maximum receivers of a group that are shown. The page of the group has all of them. */
const shownReceivers = 10;

const Receivers = ({ receivers }: { readonly receivers: readonly Receiver[] }) => (
  <>
    {receivers.slice(0, shownReceivers).map((receiver) => (
      <div key={receiver.email}>
        <ReceiverLink receiver={receiver} />
      </div>
    ))}
    {receivers.length > shownReceivers && activityWords.more(receivers.length - shownReceivers)}
  </>
);

const ForwardingSentence = ({ forwarding: { addresses, keep_copy: keepsCopy } }: { readonly forwarding: Forwarding }) => {
  const shown = addresses.map(({ email, is_confirmed: isConfirmed }) => (isConfirmed ? isolated(email) : forwardingWords.waits(email)));
  return `${shown.join(', ')}. ${keepsCopy ? forwardingWords.withCopy : forwardingWords.withoutCopy}`;
};

const Facts = ({
  found: { address, kind, incoming, outgoing, account, account_id: removed, role_account: receiver, group, receivers, forwarding, inactive_since: since },
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
            ...(receiver ? [{ label: activityWords.receiver, value: <MemberLink kind="ACCOUNT" id={receiver.account_id} text={receiver.name} /> }] : []),
            ...(group
              ? [
                  { label: activityWords.group, value: <MemberLink kind="GROUP" id={group.group_id} text={group.email} /> },
                  { label: activityWords.receiver, value: receivers.length > 0 && <Receivers receivers={receivers} /> },
                ]
              : []),
            ...(forwarding ? [{ label: forwardingWords.addresses, value: <ForwardingSentence forwarding={forwarding} /> }] : []),
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
