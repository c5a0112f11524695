/** An app client at the identity provider that was created for a registration. */
export type AppClient = { readonly clientId: string; readonly fingerprint: string };

/**
 * Creates clients at the identity provider for dynamic client registration. Adapter: `cognito-client-registrar.ts`; the
 * fake in `test/fakes/` passes the same suite. Each client has the fingerprint of its registration, 64 hexadecimal
 * digits, so that the client of an interrupted registration can be found. The provider permits several clients with one
 * fingerprint.
 */
export type ClientRegistrar = {
  /**
   * Creates a public client for the authorization code flow.
   * @returns its client id.
   * @throws ProviderRefusal for a redirect URI that the provider refuses. After any other error the client may exist.
   */
  create(fingerprint: string, redirectUris: readonly string[]): Promise<string>;
  /** The version of the settings of clients. It changes when a release changes them. */
  readonly settingsVersion: string;
  /** Gives a client the current settings. A client that does not exist is ignored. */
  update(clientId: string, fingerprint: string, redirectUris: readonly string[]): Promise<void>;
  /** Lists the clients that {@link ClientRegistrar.create} made, and no other clients of the provider. */
  list(): Promise<AppClient[]>;
  /** Counts all clients at the provider, including those of the deployment. The provider limits this number. */
  count(): Promise<number>;
  /** Deletes a client. A client that does not exist is ignored. */
  remove(clientId: string): Promise<void>;
};
