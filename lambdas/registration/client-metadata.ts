import { registrationLimits, registrationRequest, type RegistrationError, type RegistrationRequest } from '../../contract/oauth/registration.ts';
import { bodyBytes, header, type HttpRequest } from '../../core/runtime/http/http.ts';
import { redirectUriFault } from './redirect-uri.ts';

/** Thrown for an invalid request, which would fail again. */
export class RegistrationRefusal extends Error {
  override readonly name = 'RegistrationRefusal';
  readonly error: RegistrationError['error'];
  constructor(error: RegistrationError['error'], description: string) {
    super(description);
    this.error = error;
  }
}

const badMetadata = (description: string): RegistrationRefusal => new RegistrationRefusal('invalid_client_metadata', description);

const isJson = (contentType: string | undefined): boolean => contentType?.split(';')[0]?.trim().toLowerCase() === 'application/json';

const readJson = (request: HttpRequest): unknown => {
  if (!isJson(header(request, 'content-type'))) throw badMetadata('the content type must be application/json');
  const tooLarge = badMetadata(`the body must have at most ${registrationLimits.bodySize} octets`);
  // A text with more than twice as many characters is too large, also in base64, so it is not decoded.
  if ((request.body?.length ?? 0) > 2 * registrationLimits.bodySize) throw tooLarge;
  const bytes = bodyBytes(request);
  if (bytes.length > registrationLimits.bodySize) throw tooLarge;
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw badMetadata('the body is not JSON');
  }
};

/**
 * Validates the request without reading stored data (docs/specification.md#client-registration). @throws
 * RegistrationRefusal
 */
export const parseClientMetadata = (request: HttpRequest): RegistrationRequest => {
  const { success, data, error } = registrationRequest.safeParse(readJson(request));
  if (!success) throw badMetadata(error.issues[0]?.message ?? 'the body is not valid client metadata (RFC 7591 §2)');
  data.redirect_uris.forEach((uri, index) => {
    const fault = redirectUriFault(uri);
    if (fault) throw new RegistrationRefusal('invalid_redirect_uri', `redirect_uris[${index}] ${fault}`);
  });
  return data;
};
