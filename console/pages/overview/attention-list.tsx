import { Alert, Box, Container, Header, SpaceBetween, StatusIndicator, Toggle } from '@cloudscape-design/components';
import { useAdminMutation, type ResponseOf } from '../../api/admin-api.tsx';
import { useRole } from '../../api/role.ts';
import { mayCallMethod } from '../../page/may-open.ts';
import { PageLink } from '../../parts/text/link.tsx';
import { DetailedTime } from '../../parts/text/time.tsx';
import { StateLabel } from '../../parts/text/values.tsx';
import { useNotifications } from '../../parts/view/notifications.tsx';
import { overviewWords } from '../../words/pages/monitoring.ts';
import type { Attention } from './attention.ts';

type ProblemList = ResponseOf<'status', 'ListProblems'>;

const words = overviewWords.problems;

/** Subjects that are named at most. */
const named = 5;

const Subjects = ({ subjects }: Pick<Attention, 'subjects'>) => (
  <Box>
    {subjects.slice(0, named).map(({ name, to }, index) => (
      <span key={name}>
        {index > 0 && ', '}
        {to === undefined ? name : <PageLink to={to}>{name}</PageLink>}
      </span>
    ))}
    {subjects.length > named && words.andMore(subjects.length - named)}
  </Box>
);

const Item = ({ item: { severity, title, subjects, meaning, next, link, problem } }: { readonly item: Attention }) => (
  <li>
    <StateLabel kind="severity" state={severity} /> <b>{title}</b>{' '}
    {problem && (
      <Box variant="small">
        {words.since} <DetailedTime at={problem.since} />
      </Box>
    )}
    {subjects.length > 0 && <Subjects subjects={subjects} />}
    <Box color="text-body-secondary">
      {meaning} {problem && `${words.affects} ${problem.affects}`}
    </Box>
    <Box>
      {words.next} {next} {link && <PageLink to={link.to}>{link.text}</PageLink>}
    </Box>
    {problem && (
      <Box variant="small">
        {words.runbook} <code>{problem.runbook}</code>
      </Box>
    )}
  </li>
);

type AttentionListProps = {
  readonly items: readonly Attention[];
  readonly list: ProblemList;
  /** Why nothing needs attention, where nothing does. */
  readonly nothing: string;
};

/** Lists the problems that need attention, with the caller's subscription to mail about them. */
export const AttentionList = ({ items, list: { watched_at: watchedAt, ...list }, nothing }: AttentionListProps) => {
  const { notifyError } = useNotifications();
  const role = useRole();
  const subscribe = useAdminMutation('status', 'SubscribeToProblems');
  return (
    <Container
      header={
        <Header
          variant="h2"
          counter={items.length > 0 ? `(${items.length})` : undefined}
          description={
            watchedAt === undefined ? undefined : (
              <>
                {words.watchedAt} <DetailedTime at={watchedAt} />
              </>
            )
          }
          actions={
            <Toggle
              checked={list.is_subscribed}
              disabled={subscribe.isPending || !mayCallMethod(role, 'status', 'SubscribeToProblems')}
              onChange={({ detail }) => subscribe.mutate({ subscribed: detail.checked }, { onError: notifyError })}
            >
              {words.subscribe}
            </Toggle>
          }
        >
          {words.title}
        </Header>
      }
    >
      <SpaceBetween size="s">
        {!list.is_anybody_notified && (
          <Alert type="warning" header={words.nobody.title}>
            {words.nobody.text}
          </Alert>
        )}
        {watchedAt === undefined && <StatusIndicator type="pending">{words.notYet}</StatusIndicator>}
        {items.length === 0 && watchedAt !== undefined && <StatusIndicator type="success">{nothing}</StatusIndicator>}
        {items.length > 0 && (
          <ul className="attention-list" aria-label={words.title}>
            {items.map((item) => (
              <Item key={item.kind} item={item} />
            ))}
          </ul>
        )}
      </SpaceBetween>
    </Container>
  );
};
