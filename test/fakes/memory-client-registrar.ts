import type { ClientRegistrar } from '../../core/aws/cognito/client-registrar.ts';

/**
 * A {@link ClientRegistrar} in memory. `apps` holds the existing clients by client id, `made` counts creations,
 * `meanwhile` runs during a creation, before or after the client exists.
 */
export type MemoryClientRegistrar = ClientRegistrar & {
  readonly apps: ReadonlyMap<string, { readonly fingerprint: string; readonly redirectUris: readonly string[] }>;
  readonly made: { readonly count: number };
  readonly meanwhile: { before?: (() => Promise<void> | void) | undefined; after?: (() => Promise<void> | void) | undefined };
};

export const memoryClientRegistrar = (): MemoryClientRegistrar => {
  const apps = new Map<string, { fingerprint: string; redirectUris: readonly string[] }>();
  const made = { count: 0 };
  const meanwhile: MemoryClientRegistrar['meanwhile'] = {};
  return {
    apps,
    made,
    meanwhile,
    async create(fingerprint, redirectUris) {
      await meanwhile.before?.();
      const clientId = `client${String(++made.count).padStart(20, '0')}`;
      apps.set(clientId, { fingerprint, redirectUris: [...redirectUris] });
      await meanwhile.after?.();
      return clientId;
    },
    list: async () => [...apps].map(([clientId, { fingerprint }]) => ({ clientId, fingerprint })),
    async remove(clientId) {
      apps.delete(clientId);
    },
  };
};
