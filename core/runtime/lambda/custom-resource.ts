import { setTimeout as timer } from 'node:timers/promises';
import { isAccessDenied } from '../aws-errors.ts';
import { retryWithBackoff } from '../backoff.ts';
import type { Pause } from '../clock.ts';
import { logFor } from '../log.ts';

/** CloudFormation's event for a custom resource. All scalar values in `ResourceProperties` are strings. */
export type CustomResourceEvent = {
  readonly RequestType: 'Create' | 'Update' | 'Delete';
  readonly RequestId: string;
  readonly StackId: string;
  readonly LogicalResourceId: string;
  readonly ResponseURL: string;
  /** Absent on Create. */
  readonly PhysicalResourceId?: string;
  readonly ResourceProperties: Readonly<Record<string, unknown>>;
  /** The former properties. Present on Update. */
  readonly OldResourceProperties?: Readonly<Record<string, unknown>>;
};

/**
 * The result of a custom resource. A new `physicalId` makes CloudFormation delete the old resource. Templates can read
 * `data`, so it has no secrets.
 */
type CustomResourceResult = { readonly physicalId: string; readonly data?: Readonly<Record<string, string>> };

/**
 * The work of a custom resource, which must be idempotent: it runs again when AWS denies a part of it. CloudFormation shows
 * the message of its error.
 */
export type CustomResourceAction = (event: CustomResourceEvent) => Promise<CustomResourceResult>;

/** A text property of the resource. @throws Error if the template does not set it. */
export const property = (event: CustomResourceEvent, name: string): string => {
  const value = event.ResourceProperties[name];
  if (typeof value !== 'string' || !value) throw new Error(`the property ${name} is missing`);
  return value;
};

type Outcome = {
  readonly Status: 'SUCCESS' | 'FAILED';
  readonly PhysicalResourceId: string;
  readonly Reason?: string;
  readonly Data?: Readonly<Record<string, string>>;
};

/** Physical id of a resource whose creation failed. CloudFormation deletes such a resource too when it rolls back. */
const neverCreated = 'never-made:';

/** Retries of the response to CloudFormation. */
const backoff = { attempts: 4, firstPause: 800 } as const;
/** Maximum characters of the reason for a failure. CloudFormation accepts a response of at most 4 KB. */
const maxReasonLength = 1000;

const send = async (event: CustomResourceEvent, outcome: Outcome): Promise<void> => {
  const { StackId, RequestId, LogicalResourceId } = event;
  // The body is bytes, because fetch would add a content type to text, which the signed URL does not cover.
  const body = Buffer.from(JSON.stringify({ ...outcome, StackId, RequestId, LogicalResourceId }));
  await retryWithBackoff(async () => {
    const { ok, status } = await fetch(event.ResponseURL, { method: 'PUT', body, signal: AbortSignal.timeout(5000) });
    if (!ok) throw new Error(`CloudFormation's URL answered ${status}`);
  }, backoff).catch((cause: unknown) => {
    throw new Error('the response to CloudFormation failed', { cause });
  });
};

/**
 * Milliseconds for which IAM may not know a policy that the same deployment made, and the pause between two attempts. IAM is
 * eventually consistent and names no time.
 */
const policyDelay = 60_000;
const policyPause = 3000;

/** Runs the action, and again while AWS denies it. A deletion runs once, because its role is old. */
const attempt = async (event: CustomResourceEvent, action: CustomResourceAction, pause: Pause): Promise<CustomResourceResult> => {
  for (let paused = 0; ; paused += policyPause) {
    try {
      return await action(event);
    } catch (error) {
      if (!isAccessDenied(error) || event.RequestType === 'Delete' || paused >= policyDelay) throw error;
    }
    await pause(policyPause);
  }
};

const outcomeOf = async (event: CustomResourceEvent, action: CustomResourceAction, pause: Pause): Promise<Outcome> => {
  if (event.RequestType === 'Delete' && event.PhysicalResourceId?.startsWith(neverCreated))
    return { Status: 'SUCCESS', PhysicalResourceId: event.PhysicalResourceId };
  const { physicalId, data } = await attempt(event, action, pause);
  return { Status: 'SUCCESS', PhysicalResourceId: physicalId, ...(data && { Data: data }) };
};

/** The handler of a custom resource. It does not log the event, because the event's URL is a secret. */
export const customResource = (name: string, action: CustomResourceAction, pause: Pause = timer) => {
  const log = logFor(name);
  return async (event: CustomResourceEvent): Promise<void> => {
    const about = { request: event.RequestType, logical_id: event.LogicalResourceId };
    let outcome: Outcome;
    try {
      outcome = await outcomeOf(event, action, pause);
      log.info('custom resource handled', about);
    } catch (error) {
      const reason = error instanceof Error ? error.message : 'unknown error';
      outcome = {
        Status: 'FAILED',
        PhysicalResourceId: event.PhysicalResourceId ?? `${neverCreated}${event.RequestId}`,
        Reason: reason.slice(0, maxReasonLength),
      };
      log.error('custom resource failed', { ...about, error_name: error instanceof Error ? error.name : typeof error });
    }
    await send(event, outcome);
  };
};
