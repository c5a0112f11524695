import { grantedToClients, type RegistrationError, type RegistrationRequest, type RegistrationResponse } from '../../contract/oauth/registration.ts';
import { ProviderRefusal } from '../../core/aws/provider-errors.ts';
import type { RegisteredClient } from '../../core/directory/clients/client-registrations.ts';
import { errorLogFields } from '../../core/runtime/error-log-fields.ts';
import { json, type HttpRequest, type HttpResponse } from '../../core/runtime/http/http.ts';
import { parseClientMetadata, RegistrationRefusal } from './client-metadata.ts';
import { registerClient, type RegistrationDependencies } from './register-client.ts';

const errorResponse = (status: number, error: RegistrationError['error'], description: string, headers: Record<string, string> = {}): HttpResponse =>
  json(status, { error, error_description: description } satisfies RegistrationError, headers);

const toRegistrationResponse = (metadata: RegistrationRequest, { clientId, registeredAt }: RegisteredClient): RegistrationResponse => ({
  client_id: clientId,
  client_id_issued_at: Math.floor(registeredAt.getTime() / 1000),
  ...metadata,
  ...grantedToClients,
});

/** Retry-After of a conflict, in seconds. After that time the other request has finished or lost its lease. */
const conflictRetryAfter = '5';

const retryAfterSeconds = (milliseconds: number): string => String(Math.max(1, Math.ceil(milliseconds / 1000)));

const register = async (dependencies: RegistrationDependencies, request: HttpRequest): Promise<HttpResponse> => {
  const { log, clock } = dependencies;
  const metadata = parseClientMetadata(request);
  const registration = await registerClient(dependencies, metadata, request.requestContext.http.sourceIp);
  if ('client' in registration) {
    log.info('client registered', { outcome: registration.outcome, client_id: registration.client.clientId });
    // RFC 7591 §3.2.1 requires `pragma` in addition to cache-control: no-store.
    return json(201, toRegistrationResponse(metadata, registration.client), { pragma: 'no-cache' });
  }
  if (registration.outcome === 'conflict') {
    log.warn('registration refused', { outcome: registration.outcome });
    const description = 'the same client is being registered by another request; try again';
    return errorResponse(409, 'invalid_client_metadata', description, { 'retry-after': conflictRetryAfter });
  }
  log.warn('registration refused', { outcome: registration.outcome, cap_of: registration.of });
  const retryAfter = retryAfterSeconds(registration.until.getTime() - clock().getTime());
  const origin = registration.of === 'network' ? ' from your network' : '';
  return errorResponse(429, 'invalid_client_metadata', `too many new clients were registered${origin} in the last 24 hours; try again later`, {
    'retry-after': retryAfter,
  });
};

const failureResponse = ({ log }: RegistrationDependencies, failure: unknown): HttpResponse => {
  if (failure instanceof RegistrationRefusal) {
    log.info('registration refused', { outcome: failure.error });
    return errorResponse(400, failure.error, failure.message);
  }
  if (failure instanceof ProviderRefusal) {
    log.warn('registration refused', { outcome: 'refused by the identity provider' });
    return errorResponse(400, 'invalid_redirect_uri', failure.message);
  }
  log.error('registration failed', errorLogFields(failure));
  return errorResponse(500, 'server_error', 'the client could not be registered; try again in a moment');
};

/** Handles POST /oauth/register (docs/specification.md#client-registration). Names and URIs are never logged. */
export const registrationHandler =
  (dependencies: RegistrationDependencies) =>
  async (request: HttpRequest): Promise<HttpResponse> => {
    try {
      return await register(dependencies, request);
    } catch (failure) {
      return failureResponse(dependencies, failure);
    }
  };

/**
 * Handles POST /oauth/register while registration is disabled. The discovery documents then have no
 * registration_endpoint.
 */
export const registrationDisabledHandler = (): Promise<HttpResponse> =>
  Promise.resolve(errorResponse(404, 'invalid_client_metadata', 'This server does not register clients by itself; ask its operator for a client id.'));
