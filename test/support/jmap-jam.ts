/** Result of a method by name, as far as the tests read it. */
type Results = {
  get: { readonly state: string; readonly list: readonly { readonly id: string; readonly subject: string }[] };
  changes: { readonly newState: string; readonly created: readonly string[] };
  query: { readonly ids: readonly string[] };
};
type Method = keyof Results;
type Arguments = Record<string, unknown>;
type Draft = { $ref(path: string): unknown };

/** A client of the library, as far as the tests use it. */
type Jam = {
  readonly session: Promise<{ readonly username: string; readonly apiUrl: string; readonly eventSourceUrl: string }>;
  readonly api: { readonly Email: { readonly [M in Method]: (args: Arguments) => Promise<[Results[M], unknown]> } };
  getPrimaryAccount(): Promise<string>;
  /** Several methods in one request: a draft may refer to the result of another one. */
  requestMany<Drafts extends Record<string, Draft>>(build: (draft: { readonly Email: { readonly [M in Method]: (args: Arguments) => Draft } }) => Drafts): Promise<[Record<keyof Drafts, Results['get']>, unknown]>;
  /** By the global EventSource, which gets no token from the library. */
  connectEventSource(options: { readonly types: '*' | readonly string[]; readonly ping: number; readonly closeafter?: 'state' | 'no' }): Promise<EventSource>;
};

/** The JMAP client library jmap-jam as it is published. Its own types come as TypeScript sources that are more than erasable types, so they are not looked at. */
export const { JamClient } = require('jmap-jam') as { readonly JamClient: new (options: { readonly sessionUrl: string; readonly bearerToken: string }) => Jam };
