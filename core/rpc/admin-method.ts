import type { Answer, Method, Request, Service } from '../../contract/rpc/rpc.ts';
import type { Caller } from './admin-gate.ts';
import type { Audit } from './audit.ts';

/** Where the requested page begins. */
type PageStart = {
  /** The position of the last item of the previous page; undefined for the first page. */
  readonly pageAfter: string | undefined;
};

/** The information that a method gets about a call in addition to the request. */
export type Call = PageStart & {
  readonly caller: Caller;
  /** The next_page_token for a page that begins after `position`; empty when `position` is undefined. */
  readonly nextPageToken: (position: string | undefined) => Promise<string>;
  /** The id of the AWS account of the deployment. */
  readonly awsAccountId: string;
  /** The audit entry of this call, for a method that the contract marks with `changes`. */
  readonly audit: Audit;
};

/** A method of the admin interface: its contract and its implementation. */
export type AdminMethod<M extends Method> = {
  readonly contract: M;
  readonly prefetch?: (request: Request<M>, page: PageStart) => Promise<unknown>;
  readonly run: (request: Request<M>, call: Call, prefetched: unknown) => Promise<Answer<M>>;
};

/** An {@link AdminMethod} for each method of the service. A service that lacks one does not compile. */
export type AdminMethods<S extends Service> = { readonly [Name in keyof S['methods']]: AdminMethod<S['methods'][Name]> };

/** Implements a method of the contract. */
export const adminMethod = <M extends Method, Prefetched = undefined>(
  contract: M,
  implementation: {
    /**
     * Reads from our own tables that run while the caller is looked up in the directory, to save a round trip. The token
     * is verified by then, but the caller may still be refused, so this function must only read. Its failure becomes the
     * failure of `run`.
     */
    readonly prefetch?: (request: Request<M>, page: PageStart) => Promise<Prefetched>;
    /**
     * Runs the method after authorization. Errors for the caller are {@link RpcError}s or domain errors. All others
     * become `internal`.
     */
    readonly run: (request: Request<M>, call: Call, prefetched: Prefetched) => Promise<Answer<M>>;
  },
): AdminMethod<M> =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `run` gets what the `prefetch` of the same method returned
  ({ contract, ...implementation }) as AdminMethod<M>;
