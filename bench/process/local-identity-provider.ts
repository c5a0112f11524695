import { createServer } from 'node:http';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { mailScopes } from '../../contract/oauth/oauth.ts';
import { listenOnLoopback, type RunningServer } from '../../sandbox/process/loopback-server.ts';

/** The user pool that signs access tokens. */
export const userPoolId = 'us-east-1_abcdefghi';

/** An identity provider with the key set of one user pool, and an access token of that pool as Cognito's are. */
export const startLocalIdentityProvider = async (
  port: number,
  userId: string,
): Promise<RunningServer & { readonly url: string; readonly accessToken: string }> => {
  const { publicKey, privateKey } = await generateKeyPair('RS256', { modulusLength: 2048 });
  const keySet = JSON.stringify({ keys: [{ ...(await exportJWK(publicKey)), kid: 'key-1', alg: 'RS256', use: 'sig' }] });
  const now = Math.floor(Date.now() / 1000);
  const accessToken = await new SignJWT({
    user_id: userId,
    token_use: 'access',
    client_id: 'a1b2c3d4e5f6g7h8i9j0k1l2m3',
    username: 'b4d8f4a8-3001-70b5-aaaa-7d8d3f1c2b5e',
    scope: mailScopes.join(' '),
    auth_time: now,
    version: 2,
    origin_jti: 'd4a0e1d5-5f8e-4f3e-9a52-0e5d7c1f1c11',
  })
    .setProtectedHeader({ alg: 'RS256', kid: 'key-1' })
    .setIssuer(`https://cognito-idp.us-east-1.amazonaws.com/${userPoolId}`)
    .setSubject('b4d8f4a8-3001-70b5-aaaa-7d8d3f1c2b5e')
    .setJti('7c4c9f0e-6f8b-4f5c-8a3c-5d5b1c6e2a10')
    .setIssuedAt(now)
    .setExpirationTime(now + 3600)
    .sign(privateKey);
  const server = await listenOnLoopback(
    port,
    createServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(keySet);
    }),
  );
  return { ...server, url: `http://127.0.0.1:${port}`, accessToken };
};
