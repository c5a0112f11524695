import { errorLogFields } from '../../runtime/error-log-fields.ts';
import type { Log } from '../../runtime/log.ts';
import type { ClientRegistrations, RegisteredClient } from './client-registrations.ts';

type Dependencies = {
  readonly registrations: Pick<ClientRegistrations, 'recordSettings'>;
  /** The identity provider. */
  readonly registrar: { readonly settingsVersion: string; update(clientId: string, fingerprint: string, redirectUris: readonly string[]): Promise<void> };
};

/**
 * Gives the app client of a registration the settings of this release, then records that. With older settings, the
 * sign-in page may refuse it.
 * @param report logs a failure, after which the next sweep tries again.
 * @returns whether the settings were updated.
 */
export const updateAppClient = async (
  { registrations, registrar }: Dependencies,
  fingerprint: string,
  { clientId, redirectUris }: RegisteredClient,
  report: Log['warn'],
): Promise<boolean> => {
  try {
    await registrar.update(clientId, fingerprint, redirectUris);
    await registrations.recordSettings(fingerprint, clientId, registrar.settingsVersion);
    return true;
  } catch (failure) {
    report('the settings of an app client could not be updated', { client_id: clientId, ...errorLogFields(failure) });
    return false;
  }
};
