import type { ClientRegistrar } from '../../core/aws/cognito-client-registrar.ts';

/**
 * A {@link ClientRegistrar} in memory. `apps` has the existing clients by client id, `creations` counts the created
 * clients, `duringCreate` runs during a creation, before or after the client exists.
 */
export type MemoryClientRegistrar = ClientRegistrar & {
  readonly apps: ReadonlyMap<string, { readonly fingerprint: string; readonly redirectUris: readonly string[] }>;
  readonly creations: { readonly count: number };
  readonly duringCreate: { before?: (() => Promise<void> | void) | undefined; after?: (() => Promise<void> | void) | undefined };
};

/** Number of app clients without a registration: the console's and the command line's. */
export const clientsOfDeployment = 2;

export const memoryClientRegistrar = (): MemoryClientRegistrar => {
  const apps = new Map<string, { fingerprint: string; redirectUris: readonly string[] }>();
  const creations = { count: 0 };
  const duringCreate: MemoryClientRegistrar['duringCreate'] = {};
  return {
    apps,
    creations,
    duringCreate,
    async create(fingerprint, redirectUris) {
      await duringCreate.before?.();
      const clientId = `client${String(++creations.count).padStart(20, '0')}`;
      apps.set(clientId, { fingerprint, redirectUris: [...redirectUris] });
      await duringCreate.after?.();
      return clientId;
    },
    settingsVersion: 'v1',
    async update(clientId, fingerprint, redirectUris) {
      if (apps.has(clientId)) apps.set(clientId, { fingerprint, redirectUris: [...redirectUris] });
    },
    count: async () => apps.size + clientsOfDeployment,
    list: async () => [...apps].map(([clientId, { fingerprint }]) => ({ clientId, fingerprint })),
    async remove(clientId) {
      apps.delete(clientId);
    },
  };
};
