import type { Answer, Method, Request, Service } from '../../contract/rpc/rpc.ts';
import type { Caller } from './admin-gate.ts';
import type { Audit } from './audit.ts';

/** Where the requested page begins. */
type PageStart = {
  /** The position after which the page begins; undefined for the first page. */
  readonly pageAfter: string | undefined;
};

/** The information about a call that a method gets besides its request. */
export type Call = PageStart & {
  readonly caller: Caller;
  /** The next_page_token for a page that begins after `position`; empty for undefined. */
  readonly nextPageToken: (position: string | undefined) => Promise<string>;
  /** The AWS account that API Gateway runs in. */
  readonly awsAccountId: string;
  /** The audit entry of this call, for a method whose contract says `changes`. */
  readonly audit: Audit;
};

/** A method of the admin interface: its contract and its implementation. */
export type AdminMethod<M extends Method> = {
  readonly contract: M;
  readonly prefetch?: (request: Request<M>, page: PageStart) => Promise<unknown>;
  readonly run: (request: Request<M>, call: Call, prefetched: unknown) => Promise<Answer<M>>;
};

/** An {@link AdminMethod} for each method of the service: a missing one does not compile. */
export type AdminMethods<S extends Service> = { readonly [Name in keyof S['methods']]: AdminMethod<S['methods'][Name]> };

/** Implements a method of the contract. */
export const adminMethod = <M extends Method, Prefetched = undefined>(contract: M, implementation: {
  /**
   * Reads of our own tables, which the pipe starts while the directory is asked who calls: they cost no trip of their
   * own. The token is verified by then, but the caller may still be refused, so it must only read. Its failure is the
   * failure of `run`.
   */
  readonly prefetch?: (request: Request<M>, page: PageStart) => Promise<Prefetched>;
  /**
   * Runs after the caller is authorized. Errors for the caller are {@link RpcError}s or domain errors; any other one is
   * `internal`.
   */
  readonly run: (request: Request<M>, call: Call, prefetched: Prefetched) => Promise<Answer<M>>;
}): AdminMethod<M> => ({ contract, ...implementation }) as AdminMethod<M>;
