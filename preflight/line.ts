import { notAsked, type Answer } from './facts.ts';

/**
 * `fail`: the deployment would fail. `attention`: the deployment would succeed, but a person must decide or do
 * something. `unknown`: the question was not answered.
 */
export type State = 'ok' | 'attention' | 'fail' | 'unknown';

/** A line of the report. */
export type Line = {
  readonly state: State;
  readonly subject: string;
  readonly found: string;
  /** The next step; absent when there is nothing to do. */
  readonly action?: string;
};

export const line = (state: State, subject: string, found: string, action?: string): Line => ({ state, subject, found, ...(action && { action }) });

/** The line for a question that was not answered. @param action the way to an answer. */
export const unanswered = (subject: string, reason: string, action: string): Line =>
  line('unknown', subject, reason, reason === notAsked ? 'sign in first' : action);

/** The line for an answer, or the reason why there is no answer. @param action the way to an answer. */
export const lineFor = <T>(subject: string, answer: Answer<T>, action: string, lineOf: (value: T) => Line): Line =>
  'value' in answer ? lineOf(answer.value) : unanswered(subject, answer.unknown, action);
