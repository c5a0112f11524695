import { Alert, Box, Container, Header, SpaceBetween, StatusIndicator, Toggle } from '@cloudscape-design/components';
import { useAdminMutation, useAdminQuery, type ResponseOf } from '../../api/admin-api.tsx';
import { PageLink } from '../../parts/text/link.tsx';
import { DetailedTime } from '../../parts/text/time.tsx';
import { StateLabel } from '../../parts/text/values.tsx';
import { useNotifications } from '../../parts/view/notifications.tsx';
import { QueryView } from '../../parts/view/page.tsx';
import { overviewWords } from '../../words/pages/monitoring.ts';

type ProblemList = ResponseOf<'status', 'ListProblems'>;

const words = overviewWords.problems;

const Problem = ({ problem }: { readonly problem: ProblemList['problems'][number] }) => (
  <li>
    <StateLabel kind="severity" state={problem.severity} /> <b>{problem.title}</b>
    <Box variant="small">
      {' '}
      {words.since} <DetailedTime at={problem.since} />
    </Box>
    <Box color="text-body-secondary">
      {problem.meaning} {words.affects} {problem.affects}
    </Box>
    <Box>
      {words.next} {problem.next_step} <PageLink to={problem.console_path}>{words.more}</PageLink>
    </Box>
    <Box variant="small">
      {words.runbook} <code>{problem.runbook}</code>
    </Box>
  </li>
);

const Found = ({ list: { problems, watched_at: watchedAt } }: { readonly list: ProblemList }) => {
  if (watchedAt === undefined) return <StatusIndicator type="pending">{words.notYet}</StatusIndicator>;
  if (problems.length === 0) return <StatusIndicator type="success">{words.none}</StatusIndicator>;
  return (
    <ul className="removal-list" aria-label={words.title}>
      {problems.map((problem) => (
        <Problem key={`${problem.name} ${problem.subject ?? ''}`} problem={problem} />
      ))}
    </ul>
  );
};

/** The problems that the watch found, and the caller's subscription to mail about them. */
export const Problems = ({ refetchInterval }: { readonly refetchInterval: number | false }) => {
  const { notifyError } = useNotifications();
  const query = useAdminQuery('status', 'ListProblems', { page_size: 100 }, { refetchInterval });
  const subscribe = useAdminMutation('status', 'SubscribeToProblems');
  const { data } = query;
  return (
    <Container
      header={
        <Header
          variant="h2"
          description={
            data?.watched_at === undefined ? undefined : (
              <>
                {words.watchedAt} <DetailedTime at={data.watched_at} />
              </>
            )
          }
          actions={
            data && (
              <Toggle
                checked={data.is_subscribed}
                disabled={subscribe.isPending}
                onChange={({ detail }) => subscribe.mutate({ subscribed: detail.checked }, { onError: notifyError })}
              >
                {words.subscribe}
              </Toggle>
            )
          }
        >
          {words.title}
        </Header>
      }
    >
      <QueryView query={query}>
        {(list) => (
          <SpaceBetween size="s">
            {!list.is_anybody_notified && (
              <Alert type="warning" header={words.nobody.title}>
                {words.nobody.text}
              </Alert>
            )}
            <Found list={list} />
          </SpaceBetween>
        )}
      </QueryView>
    </Container>
  );
};
