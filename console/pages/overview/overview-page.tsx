import { Alert, Box, Toggle } from '@cloudscape-design/components';
import { Suspense, useState } from 'react';
import { useAdminQuery } from '../../api/admin-api.tsx';
import { loadedLater } from '../../page/load-part.tsx';
import type { PageDefinition } from '../../page/page-definition.ts';
import { PageLink } from '../../parts/text/link.tsx';
import { useTimeFormats } from '../../parts/text/time.tsx';
import { BlockSkeleton } from '../../parts/view/loading.tsx';
import { Page, QueryView } from '../../parts/view/page.tsx';
import { WhenVisible } from '../../parts/view/when-visible.tsx';
import { overviewWords } from '../../words/pages/monitoring.ts';
import { words } from '../../words/words.ts';
import { AttentionList } from './attention-list.tsx';
import { attentions } from './attention.ts';
import { mailState, type MailState } from './mail-state.ts';
import { overviewCalls } from './overview-calls.ts';
import { SendingState } from './sending-state.tsx';
import { SetUp } from './set-up.tsx';
import { withoutSteps } from './setup-steps.ts';

export const page: PageDefinition = {
  path: '/',
  title: words.pages.overview,
  methods: { setup: ['GetReadiness', 'DismissWelcome'], status: ['GetStatus', 'ListProblems', 'SubscribeToProblems'], monitoring: ['GetMetricSeries'] },
};

const OverviewCharts = loadedLater(async () => (await import('./overview-charts.tsx')).OverviewCharts);

/** Pixels of the charts in a wide window. */
const chartsHeight = 760;

const minute = 60_000;

/**
 * Milliseconds between two calls. CloudWatch has a value for each minute, and bills each metric that is read: the first
 * line reads 26, the errors of Lambdas 38. All of them cost two cents an hour while the page is visible.
 */
const refreshIntervals = { flow: minute, failures: 5 * minute, slow: 15 * minute };

/** One line that says whether mail flows, with the problems that the list below has not yet, and a link to the page for each. */
const MailFlow = ({ state: { look, headline, waiting }, problems }: { readonly state: MailState; readonly problems: MailState['problems'] }) => (
  <Alert type={look} header={`${headline} ${waiting}`}>
    {problems.map(({ text, link }) => (
      <Box key={text} color="inherit">
        {text} <PageLink to={link.to}>{link.text}</PageLink>
      </Box>
    ))}
  </Alert>
);

/** The first page: the state in words, the open tasks, then the figures. */
export const OverviewPage = () => {
  const [isRefreshing, setRefreshing] = useState(true);
  const { clock } = useTimeFormats();
  const every = (interval: number) => ({ refetchInterval: isRefreshing ? interval : false }) as const;
  const flow = useAdminQuery(...overviewCalls.flow, every(refreshIntervals.flow));
  const failures = useAdminQuery(...overviewCalls.failures, every(refreshIntervals.failures));
  const readiness = useAdminQuery(...overviewCalls.readiness, every(refreshIntervals.flow));
  const status = useAdminQuery(...overviewCalls.status, every(refreshIntervals.failures));
  const problems = useAdminQuery(...overviewCalls.problems, every(refreshIntervals.flow));
  const { complete = false, health_issues: issues = [] } = readiness.data?.readiness ?? {};
  // The pages of domains are linked, so that a step takes one click.
  const domains =
    useAdminQuery('domains', 'ListDomains', {}, { enabled: readiness.data !== undefined && (!complete || issues.length > 0) }).data?.domains ?? [];
  const listed = new Set(issues.map(({ type }) => type));
  const items = attentions(complete ? issues : withoutSteps(issues), problems.data?.problems ?? [], domains);
  const state = flow.data && mailState(flow.data, { failures: failures.data, reputation: status.data?.status.ses.reputation });
  const unlisted = state?.problems.filter(({ names }) => !names.some((name) => listed.has(name))) ?? [];
  return (
    <Page
      title={words.pages.overview}
      description={flow.dataUpdatedAt > 0 ? overviewWords.asOf(clock(new Date(flow.dataUpdatedAt))) : undefined}
      actions={
        <Toggle checked={isRefreshing} onChange={({ detail }) => setRefreshing(detail.checked)}>
          {overviewWords.refresh.on(refreshIntervals.flow / minute)}
        </Toggle>
      }
    >
      <QueryView query={flow}>{() => state && <MailFlow state={state} problems={unlisted} />}</QueryView>
      <QueryView query={readiness}>{({ readiness: known }) => <SetUp readiness={known} domains={domains} />}</QueryView>
      {readiness.data && (items.length > 0 || state) && (
        <QueryView query={problems}>
          {(list) => <AttentionList items={items} list={list} nothing={complete && unlisted.length === 0 ? overviewWords.ready : overviewWords.healthy} />}
        </QueryView>
      )}
      {!flow.isPending && !readiness.isPending && !problems.isPending && (
        <WhenVisible height={chartsHeight}>
          <Suspense fallback={<BlockSkeleton height={`${chartsHeight}px`} />}>
            <OverviewCharts flow={every(refreshIntervals.flow).refetchInterval} slow={every(refreshIntervals.slow).refetchInterval} />
          </Suspense>
        </WhenVisible>
      )}
      <QueryView query={status}>{({ status: known }) => <SendingState status={known} />}</QueryView>
    </Page>
  );
};
