import { Box, Container, Header, SpaceBetween } from '@cloudscape-design/components';
import { addressKindWords } from '../../../contract/words/mail-words.ts';
import { useAdminQuery, type ResponseOf } from '../../api/admin-api.tsx';
import { AccountLink } from '../../parts/objects/names.tsx';
import { DetailList } from '../../parts/text/details.tsx';
import { DetailedTime } from '../../parts/text/time.tsx';
import { StateLabel } from '../../parts/text/values.tsx';
import { QueryView } from '../../parts/view/page.tsx';
import { activityWords } from '../../words/pages/activity.ts';
import { stateWords } from '../../words/states.ts';

const Facts = ({ found: { address, kind, incoming, outgoing, account, account_id: removed, inactive_since: since } }: {
  readonly found: ResponseOf<'accounts', 'FindAddress'>;
}) => {
  const reasons = kind === 'OUTSIDE' ? [] : [stateWords('incoming', incoming), stateWords('outgoing', outgoing)].filter((words) => words?.look !== 'success');
  return (
    <Container header={<Header variant="h2"><bdi>{address}</bdi></Header>}>
      <SpaceBetween size="m">
        <DetailList details={[
          { label: activityWords.what, value: addressKindWords[kind] },
          ...(account ? [{ label: activityWords.account, value: <AccountLink accountId={account.account_id} /> }] : []),
          ...(removed !== undefined && !account ? [{ label: activityWords.account, value: removed }] : []),
          { label: activityWords.incoming, value: <StateLabel kind="incoming" state={incoming} /> },
          { label: activityWords.outgoing, value: <StateLabel kind="outgoing" state={outgoing} /> },
          ...(since === undefined ? [] : [{ label: activityWords.inactiveSince, value: <DetailedTime at={since} /> }]),
        ]}
        />
        {reasons.map((words) => (
          <Box key={words?.sentence}>
            {words?.sentence}
            {words?.nextStep && <Box color="text-body-secondary">{words.nextStep}</Box>}
          </Box>
        ))}
      </SpaceBetween>
    </Container>
  );
};

/** What an address is, and what happens now to mail for it, with the next step. */
export const AddressFacts = ({ address }: { readonly address: string }) => (
  <QueryView query={useAdminQuery('accounts', 'FindAddress', { address })}>{(found) => <Facts found={found} />}</QueryView>
);
