import { createHash, createHmac, getDiffieHellman, hkdfSync, randomBytes } from 'node:crypto';
import {
  AssociateSoftwareTokenCommand,
  InitiateAuthCommand,
  RespondToAuthChallengeCommand,
  VerifySoftwareTokenCommand,
  type AuthenticationResultType,
  type CognitoIdentityProviderClient,
  type RespondToAuthChallengeCommandOutput,
} from '@aws-sdk/client-cognito-identity-provider';
import { nextCode, oneTimeCode } from '../../sandbox/clients/authenticator-app.ts';
import type { Authenticator, Person } from '../../sandbox/clients/hosted-sign-in.ts';

const [prime, generator] = [BigInt(`0x${getDiffieHellman('modp15').getPrime('hex')}`), 2n];

const power = (base: bigint, exponent: bigint): bigint => {
  let [result, square] = [1n, base % prime];
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = (result * square) % prime;
    square = (square * square) % prime;
  }
  return result;
};

/** The bytes of a number that is not negative, in two's complement, as Cognito hashes numbers. */
const bytesOf = (number: bigint): Buffer => {
  const hex = number.toString(16);
  const even = hex.length % 2 ? `0${hex}` : hex;
  return Buffer.from(/^[89a-f]/.test(even) ? `00${even}` : even, 'hex');
};
const hash = (...parts: (Buffer | string)[]): Buffer =>
  createHash('sha256')
    .update(Buffer.concat(parts.map((part) => Buffer.from(part as string))))
    .digest();
const hashNumber = (...parts: (Buffer | string)[]): bigint => BigInt(`0x${hash(...parts).toString('hex')}`);

/** "Fri Nov 7 09:05:00 UTC 2026" */
const timestampOf = (now: Date): string => {
  const [weekday, day, month, year, time] = now.toUTCString().replace(',', '').split(' ');
  return `${weekday} ${month} ${Number(day)} ${time} UTC ${year}`;
};

/**
 * Passes the password of a person to Cognito's API, without the hosted page (USER_SRP_AUTH; SRP-6a with the group of RFC
 * 3526 §5).
 * @returns the tokens, or the challenge that comes next.
 */
export const sendPassword = async (
  cognito: CognitoIdentityProviderClient,
  userPoolId: string,
  ClientId: string,
  { email, password }: Person,
): Promise<RespondToAuthChallengeCommandOutput> => {
  const secret = BigInt(`0x${randomBytes(64).toString('hex')}`);
  const own = power(generator, secret);
  const { ChallengeName, ChallengeParameters: { SRP_B = '', SALT = '', SECRET_BLOCK = '', USER_ID_FOR_SRP = '' } = {} } = await cognito.send(
    new InitiateAuthCommand({ ClientId, AuthFlow: 'USER_SRP_AUTH', AuthParameters: { USERNAME: email, SRP_A: own.toString(16) } }),
  );
  const [theirs, poolName] = [BigInt(`0x${SRP_B}`), userPoolId.split('_')[1]!];
  const mixed = hashNumber(bytesOf(own), bytesOf(theirs));
  const verifier = hashNumber(bytesOf(BigInt(`0x${SALT}`)), hash(`${poolName}${USER_ID_FOR_SRP}:${password}`));
  const multiplier = hashNumber(bytesOf(prime), bytesOf(generator));
  const base = (((theirs - multiplier * power(generator, verifier)) % prime) + prime) % prime;
  const shared = power(base, secret + mixed * verifier);
  const key = Buffer.from(hkdfSync('sha256', bytesOf(shared), bytesOf(mixed), 'Caldera Derived Key', 16));
  const TIMESTAMP = timestampOf(new Date());
  const proof = createHmac('sha256', key).update(poolName).update(USER_ID_FOR_SRP).update(Buffer.from(SECRET_BLOCK, 'base64')).update(TIMESTAMP);
  return cognito.send(
    new RespondToAuthChallengeCommand({
      ClientId,
      ChallengeName,
      ChallengeResponses: { USERNAME: USER_ID_FOR_SRP, PASSWORD_CLAIM_SECRET_BLOCK: SECRET_BLOCK, TIMESTAMP, PASSWORD_CLAIM_SIGNATURE: proof.digest('base64') },
    }),
  );
};

/** Signs a person in by Cognito's API, without the hosted page. */
export const srpSignIn = async (...request: Parameters<typeof sendPassword>): Promise<AuthenticationResultType> => {
  const [cognito, , ClientId, { email, authenticator }] = request;
  if (authenticator) await nextCode();
  const { AuthenticationResult: tokens, ChallengeName, Session } = await sendPassword(...request);
  if (tokens) return tokens;
  const ChallengeResponses = { USERNAME: email, SOFTWARE_TOKEN_MFA_CODE: oneTimeCode(authenticator!.secret!) };
  return (await cognito.send(new RespondToAuthChallengeCommand({ ClientId, ChallengeName, Session, ChallengeResponses }))).AuthenticationResult!;
};

/** Sets up the authenticator app of a person by Cognito's API. @returns undefined in a user pool that does not require it. */
export const enrolSecondFactor = async (...request: Parameters<typeof sendPassword>): Promise<Authenticator | undefined> => {
  const [cognito] = request;
  const { ChallengeName, Session } = await sendPassword(...request);
  if (ChallengeName !== 'MFA_SETUP') return undefined;
  const { SecretCode: secret = '', Session: next } = await cognito.send(new AssociateSoftwareTokenCommand({ Session }));
  await cognito.send(new VerifySoftwareTokenCommand({ Session: next, UserCode: oneTimeCode(secret) }));
  return { secret };
};
