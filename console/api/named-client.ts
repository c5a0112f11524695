import type { AdminClient as NamedClient } from '../../contract/client.ts';
import { callMethod } from './admin-api.tsx';
import type { AdminClient } from './admin-client.ts';

const byName = (call: (name: string) => unknown): object => new Proxy({}, { get: (_, name) => call(String(name)) });

/** The client with a function for each method, as `people/` takes it: `client.users.GetUser({ user_id })`. */
export const namedClient = (client: AdminClient): NamedClient =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a Proxy has no type of the names
  byName((service) => byName((method) => (request: never) => callMethod(client, service as never, method as never, request))) as NamedClient;
