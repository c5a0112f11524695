import { CognitoIdentityProviderClient } from '@aws-sdk/client-cognito-identity-provider';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { customResource } from '../../../core/runtime/custom-resource.ts';
import { carrySecret } from './carry-secret.ts';

export const handler = customResource('client-secret', carrySecret(new CognitoIdentityProviderClient(), new SecretsManagerClient()));
