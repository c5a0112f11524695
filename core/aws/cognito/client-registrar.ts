/** A client of the identity provider that was made for a registration. */
export type RegisteredClient = { readonly clientId: string; readonly fingerprint: string };

/**
 * Where apps are made known to the identity provider. Adapter: `cognito-client-registrar.ts`; the fake in `test/fakes/` passes the same suite.
 * Each app carries the fingerprint that it was made for, 64 hexadecimal digits, so that one whose maker died is found again; the provider minds no two of a fingerprint.
 */
export type ClientRegistrar = {
  /**
   * Makes a public app for the authorization code flow.
   * @returns its client id.
   * @throws ProviderRefusal for a redirect URI that the provider does not take; after any other error the app may be there nevertheless.
   */
  create(fingerprint: string, redirectUris: readonly string[]): Promise<string>;
  /** Every app that was made so, whoever else has clients of the provider. */
  list(): Promise<RegisteredClient[]>;
  /** Nothing where there is no such app. */
  remove(clientId: string): Promise<void>;
};
