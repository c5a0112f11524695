import { grantedToClients, type RegistrationError, type RegistrationRequest, type RegistrationResponse } from '../../contract/registration.ts';
import { json, type HttpRequest, type HttpResponse } from '../../core/runtime/http.ts';
import { errorLogFields } from '../../core/runtime/errors.ts';
import { ProviderRefusal } from '../../core/aws/provider-refusal.ts';
import type { RegisteredClient } from '../../core/directory/client-registrations.ts';
import { clientMetadata, RegistrationRefusal } from './client-metadata.ts';
import { registerClient, type Registering } from './register.ts';

const refusal = (status: number, error: RegistrationError['error'], description: string, headers: Record<string, string> = {}): HttpResponse =>
  json(status, { error, error_description: description } satisfies RegistrationError, headers);

const response = (asked: RegistrationRequest, { clientId, registeredAt }: RegisteredClient): RegistrationResponse =>
  ({ client_id: clientId, client_id_issued_at: Math.floor(registeredAt.getTime() / 1000), ...asked, ...grantedToClients });

const seconds = (milliseconds: number): string => String(Math.max(1, Math.ceil(milliseconds / 1000)));

/** Seconds after which whoever lost against an equal request finds it finished, or given up. */
const conflictEnds = '5';

const answer = async (registering: Registering, request: HttpRequest): Promise<HttpResponse> => {
  const { log, clock } = registering;
  const asked = clientMetadata(request);
  const registered = await registerClient(registering, asked);
  if ('client' in registered) {
    log.info('registered', { outcome: registered.outcome, client_id: registered.client.clientId });
    // Prescribed by RFC 7591 §3.2.1 beside cache-control: no-store.
    return json(201, response(asked, registered.client), { pragma: 'no-cache' });
  }
  log.warn('refused', { outcome: registered.outcome });
  if (registered.outcome === 'conflict') {
    return refusal(409, 'invalid_client_metadata', 'the same client is being registered by another request; try again', { 'retry-after': conflictEnds });
  }
  const room = seconds(registered.until.getTime() - clock().getTime());
  return refusal(429, 'invalid_client_metadata', 'too many new clients were registered here of late; retry later', { 'retry-after': room });
};

const failed = ({ log }: Registering, failure: unknown): HttpResponse => {
  if (failure instanceof RegistrationRefusal) {
    log.info('refused', { outcome: failure.error });
    return refusal(400, failure.error, failure.message);
  }
  if (failure instanceof ProviderRefusal) {
    log.warn('refused', { outcome: 'not taken by the identity provider' });
    return refusal(400, 'invalid_redirect_uri', failure.message);
  }
  log.error('a registration failed', errorLogFields(failure));
  return refusal(500, 'server_error', 'the client could not be registered; try again in a moment');
};

/** POST /oauth/register (docs/specification.md#client-registration): nobody is asked who they are, and neither names nor redirect URIs enter the log. */
export const registrationAnswerer = (registering: Registering) => async (request: HttpRequest): Promise<HttpResponse> => {
  try {
    return await answer(registering, request);
  } catch (failure) {
    return failed(registering, failure);
  }
};

/** The same while the operator has registration turned off: the discovery documents name no registration_endpoint then (docs/specification.md#discovery-documents). */
export const notOffered = (): Promise<HttpResponse> =>
  Promise.resolve(refusal(404, 'invalid_client_metadata', 'This server does not register clients by itself; ask its operator for a client id.'));
