/** What a refused sign-in means, by the error code of the redirect (RFC 6749 §4.1.2.1). */
const meanings: ReadonlyMap<string, string> = new Map([
  ['access_denied', 'The sign-in was canceled, or you may not sign in here.'],
  ['invalid_request', 'The request to sign in is not valid. If it happens again, tell your operator.'],
  ['invalid_scope', 'The program asks for a permission that its client id does not have. Ask your operator to deploy the current release.'],
  ['unauthorized_client', 'The client id of the program is not for signing in. Ask your operator.'],
  ['unsupported_response_type', 'The client id of the program is not for signing in with a code. Ask your operator.'],
  ['server_error', 'The sign-in page failed. Try again in a minute.'],
  ['temporarily_unavailable', 'The sign-in page is busy. Try again in a minute.'],
]);

/** The reason of a refused sign-in in words. Cognito's description is often a code. */
export const refusedSignIn = (error: string | null | undefined, description: string | null | undefined): string => {
  if (description && /\s/.test(description.trim())) return description.trim();
  const code = description || error;
  return (
    meanings.get(description ?? '') ?? meanings.get(error ?? '') ?? `The sign-in page gives no reason that is known${code ? ` (${code})` : ''}. Try again.`
  );
};
