import type { Fault } from '../contract/deployment/checks.ts';
import type { DeploymentContext } from '../lib/deployment-context.ts';
import { notAsked, type Answer, type Facts } from './facts.ts';

/**
 * `fail`: the deployment would fail. `attention`: the deployment would succeed, but a person must decide or do
 * something. `unknown`: the question was not answered.
 */
export type State = 'ok' | 'attention' | 'fail' | 'unknown';

/** The finding of a check, and the next step; none when there is nothing to do. */
type Outcome = { readonly state: State; readonly found: string; readonly action?: string };

/** A line of the report. */
export type Line = Outcome & { readonly subject: string };

/** The lines of a check; none when the settings do not need it. */
export type Check = (facts: Facts) => readonly Line[];

const outcome =
  (state: State) =>
  (found: string, action?: string): Outcome => ({ state, found, ...(action && { action }) });
export const [ok, attention, fail, unknown] = [outcome('ok'), outcome('attention'), outcome('fail'), outcome('unknown')];

/** A fault that the first resource of the deployment, GetReadiness or the watch also finds, in their words. */
export const fault = (state: State, { title, meaning, next_step: nextStep }: Fault): Outcome => outcome(state)(`${title}. ${meaning}`, nextStep);

/** The outcome for an answer, or the reason why there is no answer. @param way the way to an answer. */
export const ofAnswer = <T>(answer: Answer<T>, way: string, find: (value: T) => Outcome): Outcome =>
  'value' in answer ? find(answer.value) : unknown(answer.unknown, answer.unknown === notAsked ? 'sign in first' : way);

/** A check with one line. */
export const check =
  (subject: string, find: (facts: Facts) => Outcome): Check =>
  (facts) => [{ subject, ...find(facts) }];

type Asked = { readonly [Name in keyof Facts]: Facts[Name] extends Answer<unknown> ? Name : never }[keyof Facts];

/** A check with one line about one answer. @param way the way to an answer. */
export const checkOf = <Name extends Asked>(
  subject: string,
  name: Name,
  way: string,
  find: (value: Extract<Facts[Name], { value: unknown }>['value'], facts: Facts) => Outcome,
): Check =>
  check(subject, (facts) => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- TypeScript does not compute the value of a generic fact
    const answer = facts[name] as Answer<Extract<Facts[Name], { value: unknown }>['value']>;
    return ofAnswer(answer, way, (value) => find(value, facts));
  });

/** Checks that are needed with a setting only. */
export const withSetting =
  (setting: keyof DeploymentContext, ...checks: readonly Check[]): Check =>
  (facts) =>
    facts.settings[setting] === undefined ? [] : checks.flatMap((each) => each(facts));
