import { setTimeout as pause } from 'node:timers/promises';
import type { SendDirectly } from '../http/direct-request.ts';
import type { Exchanged } from '../http/http-connections.ts';
import type { CallDynamodb, DynamodbInputs, DynamodbOperation, DynamodbRefusal } from './dynamodb-calls.ts';
import { imageOf, itemOfImage, type Image } from './item-image.ts';

/** Fields of an input that contain attributes. */
const imageFields = ['Item', 'Key', 'ExpressionAttributeValues', 'ExclusiveStartKey'] as const;

type ImageParameters = { readonly [Field in (typeof imageFields)[number]]?: Parameters<typeof imageOf>[0] };

const encodeParameters = (parameters: ImageParameters): object => {
  const encoded: { [field: string]: unknown } = { ...parameters };
  for (const field of imageFields) {
    const attributes = parameters[field];
    if (attributes !== undefined) encoded[field] = imageOf(attributes);
  }
  return encoded;
};

const mapValues = <T, R>(map: { readonly [name: string]: T }, change: (value: T) => R): { [name: string]: R } =>
  Object.fromEntries(Object.entries(map).map(([name, value]) => [name, change(value)]));

/** Encodes an input in DynamoDB JSON. */
const encodeInput = (input: DynamodbInputs[DynamodbOperation]): object => {
  if ('RequestItems' in input) {
    return { RequestItems: mapValues(input.RequestItems, ({ Keys, ...more }) => ({ Keys: Keys.map(imageOf), ...more })) };
  }
  if (!('TransactItems' in input)) return encodeParameters(input);
  const { TransactItems, ...more } = input;
  return { ...more, TransactItems: TransactItems.map((item) => mapValues<ImageParameters, object>(item, encodeParameters)) };
};

type WireOutput = {
  readonly Item?: Image;
  readonly Items?: readonly Image[];
  readonly LastEvaluatedKey?: Image;
  readonly Responses?: { readonly [table: string]: readonly Image[] };
  readonly UnprocessedKeys?: { readonly [table: string]: { readonly Keys?: readonly Image[] } };
};

/** The output of a read with its items as JavaScript values. The output of a write is not needed. */
const decodeOutput = ({ Item: item, Items: items, LastEvaluatedKey, Responses, UnprocessedKeys }: WireOutput): object => ({
  ...(item && { Item: itemOfImage(item) }),
  ...(items && { Items: items.map(itemOfImage) }),
  ...(LastEvaluatedKey && { LastEvaluatedKey: itemOfImage(LastEvaluatedKey) }),
  ...(Responses && { Responses: mapValues(Responses, (images) => images.map(itemOfImage)) }),
  ...(UnprocessedKeys && { UnprocessedKeys: mapValues(UnprocessedKeys, ({ Keys = [] }) => ({ Keys: Keys.map(itemOfImage) })) }),
});

/** Refusals that are not retried: a condition did not hold, or another transaction won the race. */
const finalRefusals = new Set(['TransactionCanceledException', 'ConditionalCheckFailedException']);

type ErrorBody = { readonly __type?: string; readonly CancellationReasons?: DynamodbRefusal['CancellationReasons'] };

/** The body of DynamoDB's error; empty when the response is not from DynamoDB. */
const errorBody = (body: Buffer): ErrorBody => {
  try {
    const parsed: ErrorBody = JSON.parse(body.toString());
    return parsed;
  } catch {
    return {};
  }
};

/** The exception of a response that the SDK would not retry; undefined for any other response. */
const refusalOf = ({ status, body, attempts }: Exchanged): DynamodbRefusal | undefined => {
  if (status !== 400) return undefined;
  const { __type: type = '', CancellationReasons } = errorBody(body);
  const name = type.slice(type.indexOf('#') + 1);
  return finalRefusals.has(name) ? Object.assign(new Error(name), { name, CancellationReasons, $metadata: { attempts } }) : undefined;
};

/** Adds the direct attempt to the attempts of the SDK's error, because it may have succeeded. */
const countAttempt = (error: unknown): unknown => {
  if (error instanceof Error) {
    const { $metadata } = error as DynamodbRefusal;
    Object.assign(error, { $metadata: { ...$metadata, attempts: ($metadata?.attempts ?? 1) + 1 } });
  }
  return error;
};

/** Maximum milliseconds before the second attempt, when DynamoDB responded to the first with an error. */
const firstPause = 100;

/**
 * Sends each call directly at first. Without a response, and after any response but success or a final refusal, the SDK
 * performs the same call with its own attempts, pauses and errors. A transaction keeps its client request token.
 */
export const directCalls =
  (send: SendDirectly, sdk: CallDynamodb): CallDynamodb =>
  async (operation, input) => {
    const body = JSON.stringify(encodeInput(input));
    const headers = { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': `DynamoDB_20120810.${operation}` };
    const response = await send({ method: 'POST', path: '/', headers, body }).catch(() => undefined);
    if (response?.status === 200) return decodeOutput(JSON.parse(response.body.toString()));
    const refusal = response && refusalOf(response);
    if (refusal) throw refusal;
    if (response) await pause(firstPause * Math.random());
    try {
      return await sdk(operation, input);
    } catch (error) {
      throw countAttempt(error);
    }
  };
