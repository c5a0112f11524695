/** The issuer of a user pool's tokens. */
export const userPoolIssuer = (region: string, userPoolId: string): string => `https://cognito-idp.${region}.amazonaws.com/${userPoolId}`;

/** The URLs of the hosted sign-in, by their names in RFC 8414, and the page that ends the browser's sign-in. */
export const hostedPage = (authUrl: string) => ({
  authorizationEndpoint: `${authUrl}/oauth2/authorize`,
  tokenEndpoint: `${authUrl}/oauth2/token`,
  revocationEndpoint: `${authUrl}/oauth2/revoke`,
  logoutUrl: `${authUrl}/logout`,
});
