import { setTimeout as pause } from 'node:timers/promises';
import { logFor } from './log.ts';

/** What CloudFormation tells a custom resource's Lambda. Values of `ResourceProperties` come as strings, in lists and objects too. */
export type CustomResourceEvent = {
  readonly RequestType: 'Create' | 'Update' | 'Delete';
  readonly RequestId: string;
  readonly StackId: string;
  readonly LogicalResourceId: string;
  readonly ResponseURL: string;
  /** Absent on Create. */
  readonly PhysicalResourceId?: string;
  readonly ResourceProperties: Readonly<Record<string, unknown>>;
  /** On Update. */
  readonly OldResourceProperties?: Readonly<Record<string, unknown>>;
};

/** What was made. Another `physicalId` than before tells CloudFormation to delete the old one; `data` can be read in the template, so it holds no secret. */
export type CustomResourceResult = { readonly physicalId: string; readonly data?: Readonly<Record<string, string>> };

/** What a custom resource does. It runs again after a lost answer, so doing it twice must be as good as once. Its error's message is shown to whoever deploys. */
export type CustomResourceAction = (event: CustomResourceEvent) => Promise<CustomResourceResult>;

/** A property that is a string. @throws Error when the template did not give it. */
export const property = (event: CustomResourceEvent, name: string): string => {
  const value = event.ResourceProperties[name];
  if (typeof value !== 'string' || !value) throw new Error(`the property ${name} is missing`);
  return value;
};

type Outcome = { readonly Status: 'SUCCESS' | 'FAILED'; readonly PhysicalResourceId: string; readonly Reason?: string; readonly Data?: Readonly<Record<string, string>> };

/** Marks what was never made: CloudFormation deletes it too when it rolls back. */
const neverMade = 'never-made:';

const attempts = 4;
/** CloudFormation reads an answer of 4 KB at most. */
const longestReason = 1000;

const send = async (event: CustomResourceEvent, outcome: Outcome): Promise<void> => {
  const { StackId, RequestId, LogicalResourceId } = event;
  // Bytes, not text: with a content type of its own the signed URL would not fit.
  const body = Buffer.from(JSON.stringify({ ...outcome, StackId, RequestId, LogicalResourceId }));
  for (let attempt = 1; ; attempt++) {
    const answer = await fetch(event.ResponseURL, { method: 'PUT', body, signal: AbortSignal.timeout(5000) }).catch((error: unknown) => error as Error);
    if (!(answer instanceof Error) && answer.ok) return;
    if (attempt === attempts) throw new Error('CloudFormation could not be told the outcome', { cause: answer });
    await pause(200 * 2 ** attempt);
  }
};

const outcomeOf = async (event: CustomResourceEvent, action: CustomResourceAction): Promise<Outcome> => {
  if (event.RequestType === 'Delete' && event.PhysicalResourceId?.startsWith(neverMade)) return { Status: 'SUCCESS', PhysicalResourceId: event.PhysicalResourceId };
  const { physicalId, data } = await action(event);
  return { Status: 'SUCCESS', PhysicalResourceId: physicalId, ...(data && { Data: data }) };
};

/**
 * The handler of a custom resource: does what the event asks and tells CloudFormation how it ended, whatever happens.
 * The event is not logged: its URL lets anybody answer.
 */
export const customResource = (name: string, action: CustomResourceAction) => {
  const log = logFor(name);
  return async (event: CustomResourceEvent): Promise<void> => {
    const about = { request: event.RequestType, logical_id: event.LogicalResourceId };
    let outcome: Outcome;
    try {
      outcome = await outcomeOf(event, action);
      log.info('done', about);
    } catch (error) {
      const reason = error instanceof Error ? error.message : 'unknown error';
      outcome = { Status: 'FAILED', PhysicalResourceId: event.PhysicalResourceId ?? `${neverMade}${event.RequestId}`, Reason: reason.slice(0, longestReason) };
      log.error('failed', { ...about, error_name: error instanceof Error ? error.name : typeof error });
    }
    await send(event, outcome);
  };
};
