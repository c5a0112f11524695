import { Alert, Container, Header, SpaceBetween, StatusIndicator } from '@cloudscape-design/components';
import { useAdminMutation } from '../../api/admin-api.tsx';
import { MethodButton } from '../../parts/forms/method-button.tsx';
import { PageLink } from '../../parts/text/link.tsx';
import { overviewWords } from '../../words/pages/monitoring.ts';
import { setupStepsOf, type Domains, type Readiness, type SetupStepState } from './setup-steps.ts';

const Welcome = ({ readiness }: { readonly readiness: Readiness }) => {
  const dismiss = useAdminMutation('setup', 'DismissWelcome');
  if (readiness.welcome_dismissed) return null;
  const { title, text, dismiss: action } = overviewWords.welcome;
  return (
    <Alert
      type="info"
      header={title}
      action={
        <MethodButton needs={['setup', 'DismissWelcome']} loading={dismiss.isPending} onClick={() => dismiss.mutate({ dismissed: true })}>
          {action}
        </MethodButton>
      }
    >
      {text}
    </Alert>
  );
};

const Steps = ({ steps }: { readonly steps: readonly SetupStepState[] }) => {
  const next = steps.find(({ isDone }) => !isDone);
  return (
    <ol className="setup-steps">
      {steps.map((step) => (
        <li key={step.text} aria-current={step === next ? 'step' : undefined}>
          <StatusIndicator type={step.isDone ? 'success' : step === next ? 'in-progress' : 'pending'}>
            {step.isDone ? step.text : <PageLink to={step.path}>{step.text}</PageLink>}
          </StatusIndicator>
        </li>
      ))}
    </ol>
  );
};

/** The steps of the set-up that are left, until all of them are done. */
export const SetUp = ({ readiness, domains }: { readonly readiness: Readiness; readonly domains: Domains }) => {
  if (readiness.complete) return null;
  return (
    <SpaceBetween size="l">
      <Welcome readiness={readiness} />
      <Container header={<Header variant="h2">{overviewWords.setUp}</Header>}>
        <Steps steps={setupStepsOf(readiness, domains)} />
      </Container>
    </SpaceBetween>
  );
};
