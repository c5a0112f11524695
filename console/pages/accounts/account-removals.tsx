import Box from '@cloudscape-design/components/box';
import { useEffect } from 'react';
import { useAdminQuery } from '../../api/admin-api.tsx';
import { useNotifications } from '../../parts/view/notifications.tsx';
import { FailedRead } from '../../parts/text/error-text.tsx';
import { PlainText } from '../../parts/text/plain-text.tsx';
import { StateLabel } from '../../parts/lists/state-label.tsx';
import { accountWords } from '../../words/pages/accounts.ts';

/** Milliseconds between two reads while an account is being removed. */
const refreshInterval = 3_000;

/** The accounts that are being removed. They are read again until there are none. */
const useAccountRemovals = () => useAdminQuery('accounts', 'ListAccountRemovals', { page_size: 1000 }, {
  refetchInterval: (response) => (response !== undefined && response.removals.length > 0 ? refreshInterval : false),
});

/** The text of the notice that an account is being removed. Another notice takes its place when the removal has ended. */
export const RemovalNotice = ({ accountId, name }: { readonly accountId: string; readonly name: string }) => {
  const { data, isFetchedAfterMount } = useAccountRemovals();
  const { notify } = useNotifications();
  const hasEnded = isFetchedAfterMount && data?.removals.every(({ account_id: id }) => id !== accountId) === true;
  useEffect(() => {
    if (hasEnded) notify({ id: accountId, type: 'success', title: accountWords.removalEnded(name), text: accountWords.removalEndedText });
  }, [hasEnded, accountId, name, notify]);
  return accountWords.removingText;
};

/** The accounts that are being removed, with their progress; nothing when there are none. */
export const AccountRemovals = () => {
  const { data, error, refetch } = useAccountRemovals();
  if (error && !data) return <FailedRead error={error} onRetry={() => void refetch()} />;
  if (!data || data.removals.length === 0) return null;
  return (
    <ul className="removal-list" aria-label={accountWords.removals}>
      {data.removals.map(({ account_id: id, name, email, step, removed }) => (
        <li key={id}>
          <PlainText text={`${name} (${email})`} />
          <StateLabel kind="accountRemoval" state={step} />
          {removed > 0 && <Box variant="small">{accountWords.removedSoFar(removed.toLocaleString())}</Box>}
        </li>
      ))}
    </ul>
  );
};
