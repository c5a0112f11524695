import { z } from 'zod';
import { badRequest } from '../message/ses-error.ts';

export type SesRequest = {
  /** The decoded values of the path's `{…}` parameters. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** The JSON body; `{}` without one. */
  readonly body: unknown;
};

/** One operation of SES API v2. `run` returns the JSON response or throws SesError. */
export type SesOperation = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Path below `/v2/email`: `/identities/{EmailIdentity}`. */
  readonly path: string;
  readonly run: (request: SesRequest) => Promise<object>;
};

/** Parses the body. @throws SesError BadRequestException that names the first invalid member. */
export const parseBody = <Shape extends z.ZodType>(schema: Shape, { body }: SesRequest): z.infer<Shape> => {
  const read = schema.safeParse(body);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  throw badRequest(`1 validation error detected: Value at '${issue?.path.join('.')}' failed to satisfy constraint: ${issue?.message}`);
};

export const tag = z.object({ Key: z.string().min(1).max(128), Value: z.string().max(256) });

/** Converts a date to SES's JSON form: seconds since 1970. */
export const unixSeconds = (date: string | Date): number => new Date(date).getTime() / 1000;

export type Page<Item> = { readonly items: readonly Item[]; readonly NextToken?: string };

/**
 * Octets of SES's page tokens, which are messages of the AWS Encryption SDK. With this size, tests show that callers
 * accept long tokens.
 */
const tokenOctets = 640;
const tokenAt = (position: number): string => Buffer.alloc(tokenOctets, `after:${position};`).toString('base64');
const positionOf = (token: string): number => Number(/^after:(\d+);/.exec(Buffer.from(token, 'base64').toString('latin1'))?.[1]);

/** One page of a list in a stable order. @throws SesError BadRequestException for an invalid size or token. */
export const pageOfItems = <Item>(items: readonly Item[], size: number | undefined, token: string | undefined): Page<Item> => {
  const count = size ?? 1000;
  if (!Number.isInteger(count) || count < 1 || count > 1000) throw badRequest('PageSize must be between 1 and 1000.');
  const start = token === undefined ? 0 : positionOf(token);
  if (!Number.isInteger(start) || start < 0 || (token !== undefined && start === 0)) {
    throw badRequest('The specified NextToken is invalid.');
  }
  const end = start + count;
  return { items: items.slice(start, end), ...(end < items.length ? { NextToken: tokenAt(end) } : {}) };
};
