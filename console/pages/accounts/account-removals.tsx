import Box from '@cloudscape-design/components/box';
import { useAdminQuery } from '../../api/admin-api.tsx';
import { FailedRead } from '../../parts/error-text.tsx';
import { PlainText } from '../../parts/plain-text.tsx';
import { StateLabel } from '../../parts/state-label.tsx';
import { accountWords } from '../../words/accounts.ts';

/** Milliseconds between two looks while an account is being removed. */
const refreshInterval = 5_000;

/** The accounts that are being removed, with their progress; nothing when there are none. */
export const AccountRemovals = () => {
  const { data, error, refetch } = useAdminQuery('accounts', 'ListAccountRemovals', {}, {
    refetchInterval: (response) => (response !== undefined && response.removals.length > 0 ? refreshInterval : false),
  });
  if (error && !data) return <FailedRead error={error} onRetry={() => void refetch()} />;
  if (!data || data.removals.length === 0) return null;
  return (
    <ul aria-label={accountWords.removals}>
      {data.removals.map(({ account_id: id, name, email, step, removed }) => (
        <li key={id}>
          <StateLabel kind="accountRemoval" state={step} /> <PlainText text={`${name} (${email})`} />
          {removed > 0 && <Box variant="small" margin={{ left: 'xs' }}>{accountWords.removedSoFar(removed.toLocaleString())}</Box>}
        </li>
      ))}
    </ul>
  );
};
