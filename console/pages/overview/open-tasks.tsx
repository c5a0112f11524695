import { Alert, Box, Button, ColumnLayout, Container, Header, SpaceBetween, StatusIndicator } from '@cloudscape-design/components';
import { useAdminMutation, useAdminQuery, type ResponseOf } from '../../api/admin-api.tsx';
import { PageLink } from '../../parts/text/link.tsx';
import { StateLabel } from '../../parts/text/values.tsx';
import { overviewWords } from '../../words/pages/monitoring.ts';
import { issueLink, ofSetUp, setupStepsOf, withoutSteps, type Readiness, type SetupStepState } from './setup-steps.ts';

const Welcome = ({ readiness }: { readonly readiness: Readiness }) => {
  const dismiss = useAdminMutation('setup', 'DismissWelcome');
  if (readiness.welcome_dismissed || readiness.complete) return null;
  const { title, text, dismiss: action } = overviewWords.welcome;
  return (
    <Alert
      type="info"
      header={title}
      action={
        <Button loading={dismiss.isPending} onClick={() => dismiss.mutate({ dismissed: true })}>
          {action}
        </Button>
      }
    >
      {text}
    </Alert>
  );
};

const Steps = ({ steps }: { readonly steps: readonly SetupStepState[] }) => {
  const next = steps.find(({ isDone }) => !isDone);
  return (
    <div>
      <Box variant="h3" margin={{ bottom: 'xs' }}>
        {overviewWords.setUp}
      </Box>
      <ol className="setup-steps">
        {steps.map((step) => (
          <li key={step.text} aria-current={step === next ? 'step' : undefined}>
            <StatusIndicator type={step.isDone ? 'success' : step === next ? 'in-progress' : 'pending'}>
              {step.isDone ? step.text : <PageLink to={step.path}>{step.text}</PageLink>}
            </StatusIndicator>
          </li>
        ))}
      </ol>
    </div>
  );
};

type Domains = ResponseOf<'domains', 'ListDomains'>['domains'];
type Issue = Readiness['health_issues'][number];

const Issues = ({ issues, domains }: { readonly issues: readonly Issue[]; readonly domains: Domains }) => (
  <div>
    <Box variant="h3" margin={{ bottom: 'xs' }}>
      {overviewWords.attention}
    </Box>
    {issues.length === 0 && <StatusIndicator type="success">{overviewWords.healthy}</StatusIndicator>}
    <SpaceBetween size="s">
      {issues.map((issue) => {
        const link = issueLink(issue, domains);
        return (
          <div key={`${issue.type} ${issue.title}`}>
            <StateLabel kind="severity" state={issue.severity} /> <b>{issue.title}</b>
            <Box color="text-body-secondary">{issue.likely_cause}</Box>
            <Box>
              {link ? (
                <>
                  {link.text} <PageLink to={link.to}>{link.action}</PageLink>
                </>
              ) : (
                issue.suggested_action
              )}
            </Box>
          </div>
        );
      })}
    </SpaceBetween>
  </div>
);

/** The remaining steps of the set-up, and the problems that need attention. Each line links to the page for it. */
export const OpenTasks = ({
  readiness,
  hasProblems,
}: {
  readonly readiness: Readiness;
  /** Whether the line above the tasks already shows problems. */ readonly hasProblems: boolean;
}) => {
  const { complete } = readiness;
  const issues = ofSetUp(readiness.health_issues);
  const isAllDone = complete && issues.length === 0;
  // The pages of domains are linked, so that a step takes one click.
  const domains = useAdminQuery('domains', 'ListDomains', {}, { enabled: !isAllDone }).data?.domains ?? [];
  return (
    <SpaceBetween size="l">
      <Welcome readiness={readiness} />
      <Container header={<Header variant="h2">{overviewWords.openTasks}</Header>}>
        {isAllDone ? (
          <StatusIndicator type="success">{hasProblems ? overviewWords.complete : overviewWords.ready}</StatusIndicator>
        ) : (
          <ColumnLayout columns={complete ? 1 : 2}>
            {complete ? <StatusIndicator type="success">{overviewWords.complete}</StatusIndicator> : <Steps steps={setupStepsOf(readiness, domains)} />}
            <Issues issues={complete ? issues : withoutSteps(issues)} domains={domains} />
          </ColumnLayout>
        )}
      </Container>
    </SpaceBetween>
  );
};
