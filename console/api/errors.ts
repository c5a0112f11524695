import { AdminApiError } from '../../contract/client.ts';
import { isMissingRole } from '../../contract/rpc/admin-roles.ts';
import { SignInEnded } from '../../site/sign-in/sign-in.ts';
import { phrase } from '../words/phrase.ts';
import { words } from '../words/words.ts';
import { failedCall } from './failed-calls.ts';

/** An error to show: the problem, the action to take, and the id of the request in the logs. */
export type ShownError = {
  readonly title: string;
  readonly text: string;
  readonly correlationId: string | undefined;
  readonly kind: 'forbidden' | 'signInRequired' | 'conflict' | 'notFound' | 'other';
  /** A text for support with everything needed to find the call in the logs. */
  readonly report: string | undefined;
};

const { errors } = words;

type Described = Omit<ShownError, 'correlationId' | 'report'>;

/** The text for an error of the API: its own message, which a person can act on. */
const describe = ({ code, status, message: text, retryAfter }: AdminApiError): Described => {
  if (code === 'unauthenticated') return { ...errors.signInRequired, kind: 'signInRequired' };
  if (code === 'permission_denied') return { title: errors.forbidden, text, kind: isMissingRole(text) ? 'other' : 'forbidden' };
  if (code === 'not_found') return { title: errors.notFound, text, kind: 'notFound' };
  if (code === 'aborted') return { title: errors.conflict.title, text: phrase`${text} ${errors.conflict.text}`, kind: 'conflict' };
  if (status === 429) return { title: errors.throttled.title, text: errors.throttled.text(retryAfter), kind: 'other' };
  if (status >= 500) return { ...errors.failed, kind: 'other' };
  return { title: errors.refused, text, kind: 'other' };
};

const describeUnanswered = (error: unknown): Described => {
  if (error instanceof SignInEnded) return { ...errors.signInRequired, kind: 'signInRequired' };
  if (!navigator.onLine) return { ...errors.offline, kind: 'other' };
  if (error instanceof DOMException && error.name === 'TimeoutError') return { ...errors.timedOut, kind: 'other' };
  return { ...errors.unreachable, kind: 'other' };
};

const reportOf = (error: AdminApiError): string => {
  const call = failedCall(error);
  return [
    ...(call ? [`${call.service}/${call.method}`, call.at.toISOString()] : []),
    `${error.status} ${error.code}: ${error.message}`,
    `${errors.requestId}: ${error.correlationId ?? words.details.none}`,
  ].join('\n');
};

/** Words for an error of a call. */
export const shownError = (error: unknown): ShownError =>
  error instanceof AdminApiError
    ? { ...describe(error), correlationId: error.correlationId, report: reportOf(error) }
    : { ...describeUnanswered(error), correlationId: undefined, report: undefined };

const passingStatuses = [429, 502, 503, 504];

/** Whether a repeated call may succeed. */
export const isWorthRetrying = (error: unknown): boolean =>
  error instanceof AdminApiError ? passingStatuses.includes(error.status) : !(error instanceof SignInEnded);

/** Maximum times that a change is sent again because the API is too busy. */
const maxRepeats = 5;

/** Whether a change is sent again after a failure: nothing was changed by a call that was throttled. */
export const isThrottled = (failures: number, error: unknown): boolean => failures < maxRepeats && error instanceof AdminApiError && error.status === 429;

/** Maximum delay in milliseconds. */
const longestDelay = 30_000;

/** Milliseconds until a failed read is repeated: as long as the API requests, else longer each time. */
export const retryDelay = (failures: number, error: unknown): number => {
  const asked = error instanceof AdminApiError ? error.retryAfter : undefined;
  return Math.min(longestDelay, asked === undefined ? 1_000 * 2 ** failures : asked * 1_000);
};
