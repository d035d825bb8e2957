// The quantities that are constants of the program in the study.

constexpr int kN = STUDY_N;
constexpr float kG = STUDY_G, kH = STUDY_H, kDamp = STUDY_DAMP, kDt = STUDY_DT;
