import { Button, SpaceBetween, Wizard } from '@cloudscape-design/components';
import type { ReactNode } from 'react';
import { useTitle } from '../../../page/page-frame.tsx';
import { HelpLink } from '../../../parts/view/page.tsx';
import { domainWords } from '../../../words/pages/domains.ts';
import { setupSteps, type SetupStep } from './set-up-step.ts';

const { setup: texts } = domainWords;

type StepAction = { readonly text: string; readonly onClick: () => void; readonly isPending?: boolean };

export type SetupWizardProps = {
  readonly step: SetupStep;
  readonly description?: ReactNode;
  readonly errorText?: ReactNode;
  readonly children: ReactNode;
  /** The action that leads to the next step. */
  readonly primary: StepAction;
  readonly secondary?: StepAction | undefined;
  readonly onLeave: () => void;
  readonly leaveText?: string;
  /** Shows another step; undefined while there is no domain yet. */
  readonly onStep?: (step: SetupStep) => void;
};

export const SetupWizard = ({ step, description, errorText, children, primary, secondary, onLeave, leaveText = texts.later, onStep }: SetupWizardProps) => {
  const index = setupSteps.indexOf(step);
  const title = texts.steps[step];
  useTitle(title);
  const previous = setupSteps[index - 1];
  return (
    <Wizard
      activeStepIndex={index}
      steps={setupSteps.map((one) => ({
        title: texts.steps[one],
        info: <HelpLink />,
        content: one === step ? children : null,
        ...(one === step && { description, errorText }),
      }))}
      onNavigate={({ detail }) => onStep?.(setupSteps[detail.requestedStepIndex]!)}
      i18nStrings={{
        stepNumberLabel: texts.step,
        collapsedStepsLabel: texts.stepOf,
        navigationAriaLabel: texts.navigation,
        cancelButton: leaveText,
        previousButton: texts.previous,
        nextButton: texts.next,
      }}
      customPrimaryActions={
        <SpaceBetween direction="horizontal" size="xs">
          {step !== 'test' && (
            <Button variant="link" onClick={onLeave}>
              {leaveText}
            </Button>
          )}
          {onStep && previous && <Button onClick={() => onStep(previous)}>{texts.previous}</Button>}
          {secondary && (
            <Button onClick={secondary.onClick} loading={secondary.isPending === true}>
              {secondary.text}
            </Button>
          )}
          <Button variant="primary" onClick={primary.onClick} loading={primary.isPending === true}>
            {primary.text}
          </Button>
        </SpaceBetween>
      }
    />
  );
};
