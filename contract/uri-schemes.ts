/**
 * Schemes that redirect URIs of registered clients may not have, because they are not private to an application
 * (docs/specification.md#client-registration; RFC 8252 §7.1). A code that is sent to one of them can reach an
 * attacker's page or program. All names are in lower case.
 */

const names = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** Every scheme of IANA's registry "Uniform Resource Identifier (URI) Schemes", of any status, as of 2026-09-11. */
export const registeredSchemes = names(`
  aaa aaas about acap acct acd acr adiumxtra adt aet afp afs agtp aim amss android appdata apt ar ari ark ars at attachment aw barion bb
  beshare bitcoin bitcoincash bl blob bluetooth bolo brid browserext cabal caip calculator callto cap cast casts chrome chrome-extension
  cid cm coap coap+tcp coap+ws coaps coaps+tcp coaps+ws com-eventbrite-attendee content content-type crid cstr cttps cvs dab dat data dav
  dhttp diaspora dict did dilithium3 dis dlna-playcontainer dlna-playsingle dnp dns dntp doi donau dpp drm drop dtmi dtn dvb dvx dweb ed2k
  eid elsi embedded ens esim ethereum example ez facetime fax feed feedready fido file filesystem finger first-run-pen-experience fish fm
  ftp fuchsia-pkg gcx gdsi geo gg git gitoid gizmoproject go gopher graph grd gtalk h323 ham hcap hcp hs20 http https hxxp hxxps hydrazone
  hyper i0 iax ibi ibi- icap icon ilstring im imap info interaction iotdisco ipfs ipn ipns ipp ipps irc irc6 ircs iris iris.beep iris.lwz
  iris.xpc iris.xpcs isostore itms jabber jar jms keyparc lastfm lbry ldap ldaps leaptofrogans lid linkid lorawan lpa lvlt
  machineprovisioningprogressreporter magnet mailserver mailto maps market matrix mdoc mdoc-openid4vp message microsoft.windows.camera
  microsoft.windows.camera.multipicker microsoft.windows.camera.picker mid mms modem mongodb moz mqtt mqtts ms-access ms-appinstaller ms-
  browser-extension ms-calculator ms-drive-to ms-enrollment ms-excel ms-eyecontrolspeech ms-gamebarservices ms-gamingoverlay ms-getoffice
  ms-help ms-infopath ms-inputapp ms-launchremotedesktop ms-lockscreencomponent-config ms-media-stream-id ms-meetnow ms-
  mixedrealitycapture ms-mobileplans ms-newsandinterests ms-officeapp ms-people ms-personacard ms-powerpoint ms-project ms-publisher ms-
  recall ms-remotedesktop ms-remotedesktop-launch ms-restoretabcompanion ms-screenclip ms-screensketch ms-search ms-search-repair ms-
  secondary-screen-controller ms-secondary-screen-setup ms-settings ms-settings-airplanemode ms-settings-bluetooth ms-settings-camera ms-
  settings-cellular ms-settings-cloudstorage ms-settings-connectabledevices ms-settings-displays-topology ms-settings-emailandaccounts ms-
  settings-language ms-settings-location ms-settings-lock ms-settings-nfctransactions ms-settings-notifications ms-settings-power ms-
  settings-privacy ms-settings-proximity ms-settings-screenrotation ms-settings-wifi ms-settings-workplace ms-spd ms-stickers ms-
  sttoverlay ms-transit-to ms-useractivityset ms-uup ms-virtualtouchpad ms-visio ms-walk-to ms-whiteboard ms-whiteboard-cmd ms-widgetboard
  ms-widgets ms-word msnim msrp msrps mss mt mtqp mtrust mumble mupdate musik mvn mvrp mvrps news nfs ni nih nntp nostr notes npamp num
  ocf oid onenote onenote-cmd opaquelocktoken openid openpgp4fpr otpauth p1 pack palm paparazzi payment payto pkcs11 pkg platform pop pres
  prospero proxy psyc pttp pwid qb query quic-transport redis rediss reload res resource rmi rsync rtmfp rtmp rtsp rtsps rtspu sarif
  secondlife secret-token service session sftp sgn shc shelter sieve simpleledger simplex sip sips skype smb smp sms smtp snews snmp
  soap.beep soap.beeps soldat spacify spiffe spotify ssb ssh sss starknet steam stun stuns submit svn swh swid swidpath tag taler
  teamspeak teapot teapots tel teliaeid telnet tftp things thismessage thzp tip tn3270 tool tttps turn turns tv udp unreal upn upt urn ust
  ut2004 uuaid uuid-in-package v-event vemmi ventrilo ves videotex view-source vnc vscode vscode-insiders vsls w3 wais wasm wasm-js wcr
  web+ap web+interaction web3 webcal wifi wpid ws wss wtai wyciwyg xcompute xcon xcon-userid xfire xftp xmlrpc.beep xmlrpc.beeps xmpp xrcp
  xri ymsgr z39.50 z39.50r z39.50s ztdnaid
`);

/**
 * Schemes outside IANA's registry that systems, browsers and widespread programs handle. In this order: scripts and
 * documents that browsers run; pages of browsers; what Windows, Apple's systems and Android open; protocols; stores,
 * launchers and downloads; messengers, meetings and other programs that show pages or follow links.
 */
export const sharedSchemes = names(`
  javascript ecmascript vbscript livescript mocha mhtml mk local pdf jnlp jnlps
  about-reader chrome-error chrome-search chrome-untrusted chrome-native devtools edge brave opera operamini vivaldi arc orion tor onion
  duckduckgo ddgquicklink dolphin maxthon puffin kiwi alook alohabrowser ucweb ucbrowser qqbrowser mttbrowser baiduboxapp baidubrowser
  whale naversearchapp naver samsunginternet sleipnir icab icabmobile mercury opener yandex yandexsearch google googleapp gsa
  shell search search-ms search-query help hcp tbauth ldapi outlook outlookmail outlookaccounts onedrive odopen grvopen stssync msteams
  msauth msal lync lync15 conf groove callto-lync sip-lync xbox bingmaps bingnews windowsdefender mswindowsmusic mswindowsvideo zune
  prefs app-prefs app-settings itms-apps itms-appss itms-services itms-books itms-bookss itms-podcasts itmss pcast podcast podcasts ibooks
  macappstore macappstores music musics videos photos photos-redirect shortcuts workflow applescript x-help-action x-man-page x-radr
  x-web-search x-dictionary x-coredata x-source-tag calshow mobilenotes mobilephone mobilemail facetime-audio facetime-prompt
  facetime-audio-prompt sharedphotos shoebox wallet diags activitytoday cydia sileo zbra filza
  intent android-app android-resource smsto mmsto voicemail googleplay vnd.youtube youtube
  ftps cifs afp-over-ssh sshfs http+unix imaps pop3 pop3s smtps submission webdav webdavs davs webcals feeds rlogin rdp ica telnets
  steam-launcher steamlink uplay origin origin2 battlenet com.epicgames.launcher roblox roblox-player minecraft nxm
  apturl snap flatpak appstream brew github-mac github-windows x-github-client sourcetree docker-desktop vscodium cursor windsurf
  jetbrains idea zed
  tg telegram whatsapp whatsapp-consumer fb fb-messenger fbapi fbauth2 facebook instagram twitter tweetie linkedin snapchat tiktok
  snssdk1128 snssdk1233 pinterest reddit tumblr line lineauth weixin wechat mqq mqqapi alipay alipays taobao kakaotalk kakaolink viber
  signal discord slack zoommtg zoomus zoomphonecall webexteams wbx gotomeeting teamviewer anydesk notion obsidian evernote bear
  comgooglemaps comgooglemapsurl googlegmail googledrive googledocs comgoogleearth googleassistant inbox-gmail amzn amazon kindle
`);

/**
 * Families of such schemes: handlers that any web page can register (`web+`, `ext+`), browser extensions, and those
 * of Microsoft and Apple.
 */
const sharedFamilies = /^(?:web|ext)\+|-extension$|^ms-|^microsoft\b|^windows\b|^x-apple\b|https?\+/;

/**
 * Families without a domain name in them (RFC 8252 §7.1): a form of http, and the names of browsers, which hand a page
 * to themselves (`googlechromes`, `x-safari-https`, `firefox-focus`, `yandexbrowser-open-url`).
 */
const browserFamilies = /https?|browser|chrom(?:e|ium)|firefox|fennec|mozilla|^moz|safari|msedge|opera-|duckduckgo/;

/** The part before the first dot. In a scheme that is a reversed domain name it is the top-level domain. */
const firstLabel = (scheme: string): string => scheme.split('.')[0] ?? '';

/**
 * Whether a scheme is private to an application: IANA does not list it, and no platform is known to hand it to other
 * applications or their pages.
 * @param scheme in lower case.
 */
export const isPrivateUseScheme = (scheme: string): boolean =>
  !registeredSchemes.has(scheme) && !sharedSchemes.has(scheme) && !sharedFamilies.test(scheme) && !browserFamilies.test(firstLabel(scheme));
