import { Box, SpaceBetween } from '@cloudscape-design/components';
import { useEffect, useState } from 'react';
import { useAdminMutation, useAdminQuery, type ResponseOf } from '../../api/admin-api.tsx';
import { Confirm } from '../../parts/forms/confirm.tsx';
import { MethodButton } from '../../parts/forms/method-button.tsx';
import { FailedRead } from '../../parts/text/error-text.tsx';
import { PlainText } from '../../parts/text/plain-text.tsx';
import { DetailedTime } from '../../parts/text/time.tsx';
import { StateLabel } from '../../parts/text/values.tsx';
import { useNotifications } from '../../parts/view/notifications.tsx';
import { accountWords } from '../../words/pages/accounts.ts';
import { phrase } from '../../words/phrase.ts';

type Restored = ResponseOf<'accounts', 'RestoreAccount'>;
type Removal = ResponseOf<'accounts', 'ListAccountRemovals'>['removals'][number];

/** Milliseconds between two reads while an account is being removed. */
const refreshInterval = 3_000;

/** Whether the account can still be restored, so that its removal waits for days. */
const isResting = ({ step, removal_at: at }: Removal): boolean => (step === 'WAITING' && Date.parse(at) > Date.now()) || step === 'RESTORING';

/** The deleted accounts. They are read again until nothing is being removed. */
const useAccountRemovals = () =>
  useAdminQuery(
    'accounts',
    'ListAccountRemovals',
    { page_size: 1000 },
    { refetchInterval: (response) => (response?.removals.every(isResting) === false ? refreshInterval : false) },
  );

/** The text of the notice that an account is being removed. A later notice replaces it when the removal has ended. */
const RemovalNotice = ({ accountId, name }: { readonly accountId: string; readonly name: string }) => {
  const { data, isFetchedAfterMount } = useAccountRemovals();
  const { notify } = useNotifications();
  const hasEnded = isFetchedAfterMount && data?.removals.every(({ account_id: id }) => id !== accountId) === true;
  useEffect(() => {
    if (hasEnded) notify({ id: accountId, type: 'success', title: accountWords.removalEnded(name), text: accountWords.removalEndedText });
  }, [hasEnded, accountId, name, notify]);
  return accountWords.removingText;
};

const holderText = ({ email, name, account_id, group_id, user_id }: Restored['addresses_not_restored'][number]): string => {
  if (account_id !== undefined) return accountWords.nowOfAccount(email, name ?? account_id);
  if (group_id !== undefined) return accountWords.nowOfGroup(email, name ?? group_id);
  return user_id === undefined ? accountWords.nowOfNobody(email) : accountWords.nowOfUser(email, name ?? user_id);
};

/** The actions on a deleted account whose mail is kept. */
const DeletedAccountActions = ({ removal: { account_id, name } }: { readonly removal: Removal }) => {
  const { notify, notifyError } = useNotifications();
  const [asks, setAsks] = useState(false);
  const restore = useAdminMutation('accounts', 'RestoreAccount');
  const remove = useAdminMutation('accounts', 'RemoveAccountNow');
  // The button is gone before the change is complete, when callbacks of `mutate` do not run any more.
  const notifyRestored = ({ addresses_not_restored: lost }: Restored): void => {
    if (lost.length === 0) return notify({ type: 'success', title: accountWords.restored(name) });
    const text = lost.map((address) => <div key={address.email}>{holderText(address)}</div>);
    return notify({ type: 'warning', title: accountWords.restoredWithout(name), text });
  };
  const runRestore = (): void => void restore.mutateAsync({ account_id }).then(notifyRestored, notifyError);
  const runRemove = async (): Promise<void> => {
    await remove.mutateAsync({ account_id, name });
    notify({ id: account_id, type: 'in-progress', title: accountWords.removing(name), text: <RemovalNotice accountId={account_id} name={name} /> });
  };
  return (
    <>
      <SpaceBetween direction="horizontal" size="xs">
        <MethodButton needs={['accounts', 'RestoreAccount']} loading={restore.isPending} ariaLabel={`${accountWords.restore} ${name}`} onClick={runRestore}>
          {accountWords.restore}
        </MethodButton>
        <MethodButton needs={['accounts', 'RemoveAccountNow']} ariaLabel={`${accountWords.removeNow} ${name}`} onClick={() => setAsks(true)}>
          {accountWords.removeNow}
        </MethodButton>
      </SpaceBetween>
      {asks && (
        <Confirm
          title={accountWords.removeNow}
          consequences={accountWords.removeNowText}
          name={name}
          actionText={accountWords.removeNow}
          onConfirm={runRemove}
          onClose={() => setAsks(false)}
        />
      )}
    </>
  );
};

/**
 * The deleted accounts, with the date until which each can be restored or the progress of its removal. Renders nothing
 * when there are none.
 */
export const AccountRemovals = () => {
  const { data, error, refetch } = useAccountRemovals();
  if (error && !data) return <FailedRead error={error} onRetry={() => void refetch()} />;
  if (!data || data.removals.length === 0) return null;
  return (
    <ul className="removal-list" aria-label={accountWords.removals}>
      {data.removals.map((removal) => (
        <li key={removal.account_id}>
          <PlainText text={phrase`${removal.name} (${removal.email})`} />
          <StateLabel kind="accountRemoval" state={removal.step} />
          {isResting(removal) && (
            <Box variant="small">
              {accountWords.keptUntil} <DetailedTime at={removal.removal_at} />
            </Box>
          )}
          {removal.removed > 0 && <Box variant="small">{accountWords.removedSoFar(removal.removed.toLocaleString())}</Box>}
          {isResting(removal) && <DeletedAccountActions removal={removal} />}
        </li>
      ))}
    </ul>
  );
};
